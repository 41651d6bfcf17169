import { Access } from '../description';
import { fold, Token } from '../lexer';
import { commonTables, CommonTables } from './common-tables';
import { statementHead } from './statement-head';
import { bracketEnds, BracketEnds, isName, isOpening, nameAt, WrittenObject } from './written-object';

export interface WrittenObjects {
  objects: WrittenObject[];
  /** False when the text is not of a form that is known, so that a name of it may be missing here. */
  complete: boolean;
}

/** Words that end a FROM list. */
const FROM_ENDS = new Set(
  'where group order having limit offset union except intersect select set returning window qualify values'.split(' '),
);
/** `extract(year FROM d)` and its like: FROM is not followed by a table. */
const FROM_CALLS = new Set(['extract', 'substring', 'trim', 'overlay', 'position']);
/** Words that may stand between FROM and the name of a table. */
const BEFORE_NAME = new Set(['lateral', 'only']);
/** Words with which a query begins, in the place of a table too. */
const QUERY_STARTS = new Set('select from values with table pivot unpivot describe desc show summarize'.split(' '));
const LISTING_STARTS = new Set('describe desc show summarize'.split(' '));
/** What follows WITH where it begins no list of common table expressions. */
const AFTER_OTHER_WITH = new Set(['time', 'ordinality', 'no', 'data', 'ties', '(']);

type Scope = ReadonlySet<string>;
const NOTHING: Scope = new Set();

interface Scan {
  readonly tokens: readonly Token[];
  readonly ends: BracketEnds;
  readonly found: WrittenObject[];
  complete: boolean;
}

/** What holds for the tokens between two brackets, or for the statement as a whole. */
interface Region {
  start: number;
  end: number;
  /** Common table expressions that a bare name may mean. */
  scope: Scope;
  /** The bracket stands in a FROM list: it holds a query, or its first name is a table. */
  list: boolean;
  /** The name before the bracket. */
  call: string | null;
  /** The statement's verb; null inside brackets. */
  verb: string | null;
  /** The body of a common table expression, which the engine does not bind where nothing means it. */
  common: boolean;
}

/**
 * Every name that stands for an object in a statement without a syntax tree (DML, DDL, COPY), and in a plain query. Names
 * of common table expressions are left out where they are in scope: they are judged by what they hold.
 */
export function writtenObjects(tokens: readonly Token[]): WrittenObjects {
  const scan: Scan = { tokens, ends: bracketEnds(tokens), found: [], complete: true };
  const leading = tokens[0]?.value === 'with' ? commonTables(tokens, scan.ends, 0) : null;
  const scope = leading ? readCommonTables(scan, leading, NOTHING) : NOTHING;
  const at = leading?.next ?? 0;
  const head = statementHead(tokens, scan.ends, at);
  if (head) scan.found.push(...head.targets);
  else scan.complete = false;
  const verb = tokens[at]?.value ?? '';
  readRegion(scan, {
    start: head?.next ?? at,
    end: tokens.length,
    scope,
    list: false,
    call: null,
    verb,
    common: false,
  });
  return { objects: scan.found, complete: scan.complete };
}

/** Reads the bodies in order, each of which sees those before it; gives the scope of what follows. */
function readCommonTables(scan: Scan, { items, recursive }: CommonTables, outer: Scope): Scope {
  let scope = outer;
  for (const { name, open } of items) {
    const end = scan.ends[open] as number;
    readBody(scan, open + 1, end, scope, recursive ? fold(name) : null);
    scope = new Set([...scope, fold(name)]);
  }
  return scope;
}

/** The body of a recursive one means itself behind its last UNION, and a table of its name before. */
function readBody(scan: Scan, start: number, end: number, outer: Scope, own: string | null): void {
  const inner = scan.tokens[start]?.value === 'with' ? commonTables(scan.tokens, scan.ends, start) : null;
  const scope = inner ? readCommonTables(scan, inner, outer) : outer;
  const from = inner?.next ?? start;
  const union = own === null ? -1 : lastUnion(scan, from, end);
  const split = union < 0 ? end : union;
  const body = { list: false, call: null, verb: null, common: true };
  readRegion(scan, { ...body, start: from, end: split, scope });
  if (union < 0 || own === null) return;
  readRegion(scan, { ...body, start: union, end, scope: new Set([...scope, own]) });
}

function lastUnion({ tokens, ends }: Scan, start: number, end: number): number {
  let last = -1;
  for (let i = start; i < end; i++) {
    const token = tokens[i] as Token;
    if (isOpening(token)) i = ends[i] as number;
    else if (token.type === 'word' && token.value === 'union') last = i;
    else if (token.type === 'word' && token.value === 'except') last = -1;
  }
  return last;
}

/** What the scan of a region knows at a token. */
interface State {
  scope: Scope;
  /** Inside a FROM list, where a comma is followed by a table. */
  list: boolean;
  /** The next name is one of a table. */
  expect: boolean;
  /** The USING of DELETE or MERGE was passed. */
  used: boolean;
  readonly common: boolean;
}

function readRegion(scan: Scan, region: Region): void {
  const state: State = {
    scope: region.scope,
    list: region.list,
    expect: region.list,
    used: false,
    common: region.common,
  };
  for (let i = region.start; i < region.end;) {
    const token = scan.tokens[i] as Token;
    if (isOpening(token)) i = readBracket(scan, i, state);
    else if (token.text === ',') {
      state.expect = state.list;
      i++;
    } else if (state.expect && isName(token) && !beginsQuery(token)) i = readName(scan, i, state);
    else if (token.type === 'word') i = readWord(scan, i, region, state);
    else i++;
  }
}

function beginsQuery(token: Token): boolean {
  return token.type === 'word' && (QUERY_STARTS.has(token.value) || BEFORE_NAME.has(token.value));
}

/** What is between two brackets; gives the place behind. */
function readBracket(scan: Scan, open: number, state: State): number {
  const { tokens, ends } = scan;
  const end = ends[open] as number;
  const before = tokens[open - 1];
  const call = !state.expect && before?.type === 'word' ? before.value : null;
  const list = state.expect && tokens[open]?.text === '(';
  readRegion(scan, { start: open + 1, end, scope: state.scope, list, call, verb: null, common: state.common });
  state.expect = false;
  return end + 1;
}

/** A name in the place of a table: `alias: t` names the next one, `f(…)` is a function, `'x'` a file. */
function readName(scan: Scan, start: number, state: State): number {
  const { tokens } = scan;
  const { parts, next } = nameAt(tokens, start);
  if (tokens[next]?.text === ':') return next + 1;
  const common = parts.length === 1 && state.scope.has(fold(parts[0] as string));
  const string = tokens[start]?.type === 'string';
  if (tokens[next]?.text !== '(' && !common)
    scan.found.push({ parts, kind: 'table', access: 'read', string, certain: state.common, at: start });
  state.expect = false;
  return next;
}

function readWord(scan: Scan, i: number, region: Region, state: State): number {
  const { tokens } = scan;
  const { value } = tokens[i] as Token;
  if (FROM_ENDS.has(value) || (value === 'when' && region.verb === 'merge')) {
    // `FROM VALUES (1) t, u` goes on as a list of tables; `(VALUES (1), (2))` is one of rows.
    if (value !== 'values' || !state.expect || i === region.start) state.list = false;
    state.expect = false;
  }
  switch (value) {
    case 'with':
      return readWith(scan, i, state);
    case 'from':
      if (isFromOfTables(tokens, i, region)) state.list = state.expect = true;
      break;
    case 'join':
    case 'table':
      state.expect = true;
      break;
    case 'pivot':
    case 'unpivot':
      state.expect = i === region.start || !isInfix(tokens, i);
      break;
    case 'using':
      // The first one of DELETE and MERGE; behind it JOIN … USING (columns) may follow.
      if ((region.verb === 'delete' || region.verb === 'merge') && !state.used) {
        state.expect = state.used = true;
        state.list = region.verb === 'delete';
      }
      break;
    case 'references':
      return readReference(scan, i + 1, 'read');
    case 'owned':
      return tokens[i + 1]?.value === 'by' ? readReference(scan, i + 2, 'alter') : i + 1;
    case 'returning':
    case 'conflict':
      // Whether a common table expression of the query reaches here is not told by its place: a table is meant.
      state.scope = NOTHING;
      break;
    default:
      if (i === region.start && region.list && LISTING_STARTS.has(value)) state.expect = true;
  }
  return i + 1;
}

/** A list of common table expressions is in scope to the end of the region. */
function readWith(scan: Scan, at: number, state: State): number {
  const found = commonTables(scan.tokens, scan.ends, at);
  if (!found) {
    if (!AFTER_OTHER_WITH.has(scan.tokens[at + 1]?.value ?? '')) scan.complete = false;
    return at + 1;
  }
  state.scope = readCommonTables(scan, found, state.scope);
  state.expect = state.list = false;
  return found.next;
}

/** The table of a foreign key, the owner of a sequence. */
function readReference(scan: Scan, at: number, access: Access): number {
  if (!isName(scan.tokens[at])) return at;
  const { parts, next } = nameAt(scan.tokens, at);
  scan.found.push({ parts, kind: 'table', access, string: false, certain: true, at });
  return next;
}

function isFromOfTables(tokens: readonly Token[], i: number, { verb, call }: Region): boolean {
  if (verb === 'copy' || (call !== null && FROM_CALLS.has(call))) return false;
  const [before, distinct] = [tokens[i - 2]?.value, tokens[i - 1]];
  return !(distinct?.type === 'word' && distinct.value === 'distinct' && (before === 'is' || before === 'not'));
}

/** `t PIVOT (…)`, not `PIVOT t ON …`; INCLUDE NULLS may stand between. */
function isInfix(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  if (before?.type === 'word' && QUERY_STARTS.has(before.value)) return false;
  const next = tokens[i + 1]?.value;
  return next === '(' || ((next === 'include' || next === 'exclude') && tokens[i + 2]?.value === 'nulls');
}
