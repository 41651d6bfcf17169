import { bareOf } from './bare-pattern';

/** What RE2 lets counted repetitions come to, one inside another. */
const MOST = 1_000;

/**
 * Characters of a regular expression of RE2 at most, where counted repetitions are written out and a class counts as one: the
 * time that a character of a text takes grows with it. Infinity for one with `\Q`.
 */
export function weightOf(pattern: string): number {
  if (pattern.includes('\\Q')) return Infinity;
  const bare = bareOf(pattern);
  const counts = [...bare.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) =>
    Math.max(Number(least), Number(most || 0), 1),
  );
  const written = bare.includes('){')
    ? bare.length *
      Math.min(
        Math.max(MOST, ...counts),
        counts.reduce((product, count) => product * count, 1),
      )
    : counts.reduce((sum, count) => sum + count, bare.length);
  return Math.max(pattern.length, written);
}
