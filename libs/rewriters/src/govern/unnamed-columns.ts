import { mayBeAlias, Token } from '../lexer';
import { bracketEnds, BracketEnds, isOpening } from '../screen';
import { ReadPlace } from './read-places';

/** An item of a list of columns that has no name but its own text: the tokens from `start` up to `end`. */
export interface UnnamedColumn {
  start: number;
  end: number;
}

/** Words that begin a part of a query. */
const PARTS = new Set(
  `select from where group having qualify order limit offset window union except intersect returning on using set values
  sample fetch`.split(/\s+/),
);
const QUERY_STARTS = new Set('select from with values table pivot unpivot'.split(' '));

/**
 * The columns that the engine would name after a text which governing changes: those that hold a query in brackets in which
 * one of these places stands.
 */
export function unnamedColumns(tokens: readonly Token[], places: readonly ReadPlace[]): UnnamedColumn[] {
  if (places.length === 0) return [];
  const ends = bracketEnds(tokens);
  const found = new Map<number, UnnamedColumn>();
  for (let open = 0; open < tokens.length; open++) {
    if (tokens[open]?.text !== '(' || !QUERY_STARTS.has(tokens[open + 1]?.value ?? '')) continue;
    const close = ends[open] as number;
    if (!places.some(({ at }) => at > open && at < close)) continue;
    const item = itemAround(tokens, ends, open);
    if (item && !isNamed(tokens, item)) found.set(item.end, item);
  }
  return [...found.values()];
}

/** The item of a list of columns in which a bracket stands, directly or as an argument; null: it stands in none. */
function itemAround(tokens: readonly Token[], ends: BracketEnds, open: number): UnnamedColumn | null {
  let at = open;
  let around = bracketAround(ends, at);
  // A bracket that holds no query is one of an expression: what is around it counts.
  while (around !== null && !QUERY_STARTS.has(tokens[around + 1]?.value ?? '')) {
    at = around;
    around = bracketAround(ends, at);
  }
  const start = startOfItem(tokens, ends, at);
  return start === null ? null : { start, end: endOfItem(tokens, ends, at) };
}

function bracketAround(ends: BracketEnds, at: number): number | null {
  for (let i = at - 1; i >= 0; i--) if ((ends[i] as number) > at) return i;
  return null;
}

/** Where an item of SELECT or RETURNING begins; null: what stands there is of no list of columns. */
function startOfItem(tokens: readonly Token[], ends: BracketEnds, from: number): number | null {
  let item: number | null = null;
  const opens = openings(ends);
  for (let i = from - 1; i >= 0; i--) {
    const token = tokens[i] as Token;
    const opened = opens.get(i);
    if (opened !== undefined) i = opened;
    else if (isOpening(token)) return null;
    else if (token.text === ',') item ??= i + 1;
    else if (isDistinctOn(tokens, i)) return item ?? (ends[i + 1] as number) + 1;
    else if (isPart(tokens, i)) {
      const list = token.value === 'select' || token.value === 'returning';
      return list ? (item ?? afterDistinct(tokens, ends, i + 1)) : null;
    }
  }
  return null;
}

/** The ON of `SELECT DISTINCT ON (…)`. */
function isDistinctOn(tokens: readonly Token[], i: number): boolean {
  const [select, distinct, on, open] = [i - 2, i - 1, i, i + 1].map((at) => tokens[at]?.value ?? '');
  return select === 'select' && distinct === 'distinct' && on === 'on' && open === '(';
}

/** A word that begins a part of the query; `IS DISTINCT FROM` and CASE stand inside one. */
function isPart(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i] as Token;
  if (token.type !== 'word' || !PARTS.has(token.value)) return false;
  const [is, distinct] = [tokens[i - 2]?.value ?? '', tokens[i - 1]?.value];
  return !(token.value === 'from' && distinct === 'distinct' && (is === 'is' || is === 'not'));
}

function openings(ends: BracketEnds): Map<number, number> {
  const result = new Map<number, number>();
  ends.forEach((end, open) => {
    if (end > 0) result.set(end, open);
  });
  return result;
}

function afterDistinct(tokens: readonly Token[], ends: BracketEnds, at: number): number {
  const word = tokens[at]?.type === 'word' ? tokens[at].value : '';
  if (word === 'all') return at + 1;
  if (word !== 'distinct') return at;
  const on = tokens[at + 1]?.value === 'on' && tokens[at + 2]?.text === '(';
  return on ? (ends[at + 2] as number) + 1 : at + 1;
}

function endOfItem(tokens: readonly Token[], ends: BracketEnds, from: number): number {
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (isOpening(token)) i = ends[i] as number;
    else if (token.text === ',' || token.text === ')' || token.text === ']' || token.text === '}') return i;
    else if (isPart(tokens, i)) return i;
  }
  return tokens.length;
}

function isNamed(tokens: readonly Token[], { start, end }: UnnamedColumn): boolean {
  if (tokens[start + 1]?.text === ':') return true;
  const [before, last] = [tokens[end - 2], tokens[end - 1]];
  if (end - start < 2 || !last || !before) return false;
  if (before.type === 'word' && before.value === 'as') return true;
  const name = last.type === 'quoted' || (last.type === 'word' && mayBeAlias(last.value));
  if (!name) return false;
  const operand =
    before.type === 'word' ? mayBeAlias(before.value) || before.value === 'end' : before.type !== 'operator';
  return operand && !['.', ',', '(', '[', '{', ':', '::'].includes(before.text);
}
