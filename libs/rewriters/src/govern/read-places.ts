import { QueryNames } from '../ast';
import { fold, mayBeAlias, standsAt, startsOf, Token } from '../lexer';
import { nameAt, Screened, WrittenObject } from '../screen';

/** A name in the place of a table that a statement reads. */
export interface ReadPlace {
  /** Its first token. */
  at: number;
  parts: readonly string[];
  /** It is given another name. */
  alias: boolean;
  /** A call without arguments, `f()`. */
  call: boolean;
  /** The text in `query('…')` and `query_table('…')`; null: it is none of these. */
  text: string | null;
}

/** The names in the place of a table that a statement reads, in its tree where there is one. */
export function readPlaces(
  { tokens, shape, objects }: Pick<Screened, 'tokens' | 'shape' | 'objects'>,
  names: QueryNames | null,
): ReadPlace[] {
  return shape === 'select' && names ? placesInTree(tokens, names) : placesInTokens(tokens, objects);
}

/** The places that a syntax tree tells, as far as they are found among the tokens. */
export function placesInTree(
  tokens: readonly Token[],
  { tables, functions }: Pick<QueryNames, 'tables' | 'functions'>,
): ReadPlace[] {
  const starts = startsOf(tokens);
  const named = tables.map((table) => ({ ...table, call: false }));
  const called = functions
    .filter(({ position, arguments: given }) => position === 'table' && given < 2)
    .map((call) => ({ ...call, alias: call.alias === true, call: true }));
  return [...named, ...called].flatMap(({ catalog, schema, name, at, alias, call }) => {
    const parts = [catalog, schema, name].filter((part) => part !== '');
    const first = at === undefined ? undefined : starts.get(at);
    if (first === undefined || !standsAt(tokens, first, parts)) return [];
    const behind = first + 2 * parts.length - 1;
    const empty = tokens[behind]?.text === '(' && tokens[behind + 1]?.text === ')';
    const text = call ? textOf(tokens, name, behind) : null;
    return call === (empty || text !== null) ? [{ at: first, parts, alias, call, text }] : [];
  });
}

/** The only argument of a call that reads what a text says. */
function textOf(tokens: readonly Token[], name: string, open: number): string | null {
  const reads = fold(name) === 'query' || fold(name) === 'query_table';
  const [bracket, text, close] = [tokens[open], tokens[open + 1], tokens[open + 2]];
  return reads && bracket?.text === '(' && text?.type === 'string' && close?.text === ')' ? text.value : null;
}

/** The places that the tokens tell. */
function placesInTokens(tokens: readonly Token[], objects: readonly WrittenObject[]): ReadPlace[] {
  return objects
    .filter(({ access, kind, string }) => access === 'read' && kind === 'table' && !string)
    .map(({ at, parts }) => {
      const alias = hasAlias(tokens, nameAt(tokens, at).next) || isPrefixed(tokens, at);
      return { at, parts, alias, call: false, text: null };
    });
}

/** `t AS a`, `t a`. */
function hasAlias(tokens: readonly Token[], next: number): boolean {
  const token = tokens[next];
  if (token?.type === 'word') return token.value === 'as' || mayBeAlias(token.value);
  return token?.type === 'quoted' || token?.type === 'string';
}

/** `a : t`. */
function isPrefixed(tokens: readonly Token[], at: number): boolean {
  return tokens[at - 1]?.text === ':';
}

/** A column that is written with the schema, or the catalog, of its table: `main.t.c`. */
export interface QualifiedColumn {
  at: number;
  parts: readonly string[];
}

/** Every name of three parts and more that stands in no table's place and is not called. */
export function qualifiedColumns(tokens: readonly Token[], places: readonly ReadPlace[]): QualifiedColumn[] {
  const tables = new Set(places.map(({ at }) => at));
  const found: QualifiedColumn[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (tokens[at - 1]?.text === '.' || (token?.type !== 'word' && token?.type !== 'quoted')) continue;
    if (tokens[at + 1]?.text !== '.' || tables.has(at)) continue;
    const { parts, next } = nameAt(tokens, at);
    if (parts.length > 2 && tokens[next]?.text !== '(') found.push({ at, parts });
  }
  return found;
}

/** Whether two names are the same, letter case aside. */
export function sameName(a: string, b: string): boolean {
  return fold(a) === fold(b);
}
