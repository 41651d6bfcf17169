/**
 * A regular expression of RE2 with one letter in the place of each character that is escaped, and of each class. One with
 * `\Q` is not read so.
 */
export function bareOf(pattern: string): string {
  return pattern.replace(/\\[pPx]\{[^}]*\}|\\[^]/g, 'x').replace(/\[\^?\]?(?:\[:\^?\w+:\]|[^\]])*\]/g, 'x');
}
