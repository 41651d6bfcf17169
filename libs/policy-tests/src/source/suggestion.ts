import { closest, distance } from 'fastest-levenshtein';

/** ` (did you mean "x"?)` when one of the known words is near enough to be what was meant, else nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = closest(word.toLowerCase(), [...known]);
  const limit = Math.ceil(word.length / 3);
  return distance(word.toLowerCase(), near.toLowerCase()) <= limit ? ` (did you mean "${near}"?)` : '';
}
