import { bareOf } from './bare-pattern';

/**
 * Whether all matches of a regular expression are found in time that grows with the text and no faster. A search goes on
 * behind a match while there may be a better one, and where there is none the next begins right behind the match: `a(.*b)?`
 * reads a text of many `a` to its end for each of them. So what repeats without end is neither optional nor lazy nor one of
 * several, but for what stands last in an alternative: what that reads it matches.
 *
 * @param pattern of RE2
 */
export function isSteady(pattern: string): boolean {
  if (/\\Q|\(\?(?!:|[ims]+\)|P?<\w+>)/.test(pattern)) return false;
  const bare = bareOf(pattern);
  if (!/[*+]|\{\d*,\}/.test(bare)) return true;
  if (/\)[?*+{]|[*+?}]\?/.test(bare)) return false;
  return !bare.includes('|') || (!bare.includes('(') && bare.split('|').every(repeatsLast));
}

function repeatsLast(alternative: string): boolean {
  return !/(?:[*+]|\{\d*,\})./s.test(alternative);
}
