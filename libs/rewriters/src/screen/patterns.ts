import { fold, Token } from '../lexer';
import { ScreenRefusal } from './refusal';

/** Operators that match a text with a pattern, without the `not` before a word and the `!` before a sign. */
const MATCHES = new Set(['like', 'ilike', 'glob', '~~', '~~*', '~~~', '!~~', '!~~*']);
/** The functions that these stand for, called by name. */
const MATCHING_FUNCTIONS = new Set([
  ...['~~', '~~*', '~~~', '!~~', '!~~*'],
  ...['like_escape', 'ilike_escape', 'not_like_escape', 'not_ilike_escape'],
]);
/** Of these the engine cuts the pattern into pieces, and looks for one after the other. */
const PIECEWISE = new Set(['like', '~~', '!~~']);
/** Characters of a pattern that is looked for at every place of a text. */
const MAX_SOUGHT = 1_000;

/**
 * Refuses patterns whose matching the engine could not end: it tries every place for every wildcard, a row is not
 * interrupted, and it recurses at each. So a pattern is a literal, in which only `LIKE` of `%` alone has many.
 */
export function checkPatterns(tokens: readonly Token[]): void {
  if (isMacro(tokens)) return;
  tokens.forEach((token, i) => {
    if (isCalledByName(tokens, i)) refuse('write LIKE, ILIKE or GLOB instead of the function it stands for');
    if (token.type !== 'operator' && token.type !== 'word') return;
    const operator = token.type === 'word' ? token.value : token.text;
    if (!MATCHES.has(operator) || !hasPattern(tokens, i)) return;
    const { pattern, next } = patternAt(tokens, i + 1);
    if (pattern !== null) checkPattern(operator, pattern, tokens[next]?.value === 'escape');
  });
}

/** What a macro stands for is looked at where it is used. */
function isMacro(tokens: readonly Token[]): boolean {
  return (
    tokens[0]?.value === 'create' && tokens.slice(1, 5).some(({ value }) => value === 'macro' || value === 'function')
  );
}

function isCalledByName(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i] as Token;
  const named = token.type === 'quoted' || token.type === 'word';
  return named && tokens[i + 1]?.text === '(' && MATCHING_FUNCTIONS.has(fold(token.value));
}

/** `CREATE TABLE t (LIKE other)` and the name of a column have none. */
function hasPattern(tokens: readonly Token[], i: number): boolean {
  const [before, next] = [tokens[i - 1], tokens[i + 1]];
  if (before === undefined || next === undefined || before.text === '.' || next.text === '.') return false;
  return !(tokens[0]?.value === 'create' && (before.text === '(' || before.text === ','));
}

/** The literal that stands for itself; null for NULL. */
function patternAt(tokens: readonly Token[], start: number): { pattern: string | null; next: number } {
  let i = start;
  while (tokens[i]?.text === '(') i++;
  // How a parameter is written into the statement.
  const cast = tokens[i]?.value === 'cast' && tokens[i + 1]?.text === '(' && tokens[i + 3]?.value === 'as';
  if (cast && tokens[i + 5]?.text === ')') return literalAt(tokens, i + 2, i + 6);
  return literalAt(tokens, i, i + 1);
}

function literalAt(tokens: readonly Token[], at: number, end: number): { pattern: string | null; next: number } {
  const token = tokens[at];
  let i = end;
  const isNull = token?.type === 'word' && token.value === 'null';
  if (token?.type !== 'string' && !isNull) refuse('a pattern of LIKE, ILIKE and GLOB is a text as it stands');
  while (tokens[i]?.text === ')') i++;
  const after = tokens[i];
  if (after?.type === 'operator' || after?.text === '.' || after?.text === '[' || after?.value === 'collate') {
    refuse('a pattern of LIKE, ILIKE and GLOB is a text as it stands');
  }
  return { pattern: isNull ? null : token.value, next: i };
}

function checkPattern(operator: string, pattern: string, escaped: boolean): void {
  const wildcard = operator === 'glob' || operator === '~~~' ? /\*+/g : /%+/g;
  const runs = [...pattern.matchAll(wildcard)].filter(
    ({ 0: { length }, index }) => index + length < pattern.length,
  ).length;
  if (runs === 0) return;
  if (pattern.length > MAX_SOUGHT) refuse(`a pattern with wildcards has at most ${MAX_SOUGHT} characters`);
  if (runs > 1 && (escaped || pattern.includes('_') || !PIECEWISE.has(operator))) {
    refuse(
      'a pattern of ILIKE and GLOB, and one with _ or ESCAPE, has one wildcard for many characters, and one at its end',
    );
  }
}

function refuse(message: string): never {
  throw new ScreenRefusal('statement_too_large', `${message}; regexp_matches() takes any pattern`);
}
