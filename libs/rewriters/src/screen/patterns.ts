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
const AS_IT_STANDS = 'a pattern of LIKE, ILIKE and GLOB is made of texts as they stand';
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

interface Read {
  /** null for NULL. */
  pattern: string | null;
  next: number;
}

/** The literals that make up a pattern; whatever else is made of them is none. */
function patternAt(tokens: readonly Token[], start: number): Read {
  const read = joinedAt(tokens, start);
  const after = tokens[read.next];
  if (after?.type === 'operator' || after?.text === '.' || after?.text === '[' || after?.value === 'collate') {
    refuse(AS_IT_STANDS);
  }
  return read;
}

/** Literals joined by `||`. */
function joinedAt(tokens: readonly Token[], start: number): Read {
  let { pattern, next } = literalAt(tokens, start);
  while (tokens[next]?.type === 'operator' && tokens[next]?.text === '||') {
    const more = literalAt(tokens, next + 1);
    pattern = pattern === null || more.pattern === null ? null : pattern + more.pattern;
    next = more.next;
  }
  return { pattern, next };
}

/** A literal, some in brackets, or a parameter as it is written into the statement. */
function literalAt(tokens: readonly Token[], at: number): Read {
  if (tokens[at]?.text === '(') {
    const inner = joinedAt(tokens, at + 1);
    if (tokens[inner.next]?.text !== ')') refuse(AS_IT_STANDS);
    return { ...inner, next: inner.next + 1 };
  }
  const cast = tokens[at]?.value === 'cast' && tokens[at + 1]?.text === '(' && tokens[at + 3]?.value === 'as';
  const written = cast && tokens[at + 5]?.text === ')';
  const token = tokens[written ? at + 2 : at];
  const isNull = token?.type === 'word' && token.value === 'null';
  if (token?.type !== 'string' && !isNull) refuse(AS_IT_STANDS);
  return { pattern: isNull ? null : token.value, next: at + (written ? 6 : 1) };
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
  const instead = 'starts_with() and contains() look for any text, regexp_matches() for a literal pattern of any kind';
  throw new ScreenRefusal('statement_too_large', `${message}; ${instead}`);
}
