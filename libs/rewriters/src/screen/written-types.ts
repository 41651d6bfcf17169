import { isBuiltInType } from '../classification';
import { lex, LexicalError, Token } from '../lexer';
import { CREATE_MODIFIERS, isGrammarWord } from './statement-kinds';
import { bracketEnds, BracketEnds, isName, isOpening, nameAt, WrittenObject } from './written-object';

/** The types that a statement names and the engine does not have by itself. */
export interface WrittenTypes {
  types: WrittenObject[];
  /** A type is named by a text that is not a literal, so that it is not known here. */
  computed: boolean;
}

/** Types whose brackets hold fields, `name type`, and those whose brackets hold types. */
const FIELDS = new Set(['struct', 'row', 'union']);
const ELEMENTS = new Set(['map', 'list', 'array']);
/** Statements in which a name before a string can be nothing but a type. */
const EXPRESSION_VERBS = new Set('with insert update delete merge create'.split(' '));
/** What stands in the place of a column and is none. */
const CONSTRAINTS = new Set('constraint primary unique check foreign'.split(' '));
/** What may follow a column without a type. */
const NO_TYPE = new Set(['as', 'generated']);
/** Words of type names that the engine's parser knows and its list of types does not. */
const TYPE_WORDS = new Set(['character', 'nchar', 'national', 'setof']);

/**
 * Types in a statement without a syntax tree: behind `::`, in CAST, before a literal (`mood 'good'`), in the definition of
 * a table or a type, in ALTER.
 */
export function writtenTypes(tokens: readonly Token[]): WrittenTypes {
  const holdsExpressions = EXPRESSION_VERBS.has(tokens[0]?.value ?? '');
  const scan: Scan = { tokens, ends: bracketEnds(tokens), types: [], certain: true };
  tokens.forEach((token, i) => {
    if (token.type === 'operator' && token.text === '::') readType(scan, i + 1);
    else if (isWord(token, 'cast') || isWord(token, 'try_cast')) readCast(scan, i + 1);
    else if (isLiteralOfType(tokens, i)) readType({ ...scan, certain: holdsExpressions }, i);
  });
  readDefinition({ ...scan, certain: false });
  const structures = structureTypes(tokens);
  return { types: [...scan.types, ...structures.types], computed: structures.computed };
}

/** Functions that take the name of a type as text, in a JSON document that describes a structure. */
const TAKES_STRUCTURE = new Set('from_json from_json_strict json_transform json_transform_strict'.split(' '));

/** Types that the texts of `from_json(…, structure)` name, which no syntax tree shows. */
export function structureTypes(tokens: readonly Token[]): WrittenTypes {
  const found: WrittenTypes = { types: [], computed: false };
  const calls: number[] = [];
  for (let i = 1; i < tokens.length; i++) {
    if (tokens[i]?.text === '(' && isStructureCall(tokens[i - 1])) calls.push(i);
  }
  if (calls.length === 0) return found;
  const ends = bracketEnds(tokens);
  for (const open of calls) {
    const args = argumentsOf(tokens, ends, open);
    const structure = args[args.length - 1] ?? [];
    const [only] = structure;
    if (structure.length === 1 && only?.type === 'string') readStructure(only.value, found);
    else found.computed = true;
  }
  return found;
}

function isStructureCall(name: Token | undefined): boolean {
  return (name?.type === 'word' || name?.type === 'quoted') && TAKES_STRUCTURE.has(name.value.toLowerCase());
}

interface Scan {
  readonly tokens: readonly Token[];
  readonly ends: BracketEnds;
  readonly types: WrittenObject[];
  /** What is found now stands where nothing but a type can. */
  certain: boolean;
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.type === 'word' && token.value === word;
}

/** A name right before a string is the type of that literal, unless it is a word of the grammar. */
function isLiteralOfType(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i];
  if (!isName(token) || token.type === 'string' || tokens[i - 1]?.text === '.') return false;
  if (token.type === 'word' && isGrammarWord(token.value)) return false;
  return tokens[nameAt(tokens, i).next]?.type === 'string';
}

/** Reads the type that begins at a place; gives the place behind what was read. */
function readType(scan: Scan, at: number): number {
  const { tokens, ends, types } = scan;
  const first = tokens[at];
  if (!isName(first) || first.type === 'string') return at;
  const { parts, next } = nameAt(tokens, at);
  const word = parts.length === 1 ? first.value.toLowerCase() : '';
  if (!isBuiltInType(word) && !TYPE_WORDS.has(word)) {
    types.push({ parts, kind: 'type', access: 'read', string: false, certain: scan.certain, at });
  }
  if (tokens[next]?.text !== '(') return next;
  const end = ends[next] as number;
  if (FIELDS.has(word)) readFields(scan, next, end);
  else if (ELEMENTS.has(word)) readElements(scan, next, end);
  return end + 1;
}

function readFields(scan: Scan, open: number, end: number): void {
  for (const start of elements(scan, open, end)) {
    const name = scan.tokens[start];
    if (isWord(name, 'constraint') || !isName(name)) continue;
    readType(scan, start + 1);
  }
}

function readElements(scan: Scan, open: number, end: number): void {
  for (const start of elements(scan, open, end)) readType(scan, start);
}

/** Where each element between two brackets begins. */
function elements({ tokens, ends }: Pick<Scan, 'tokens' | 'ends'>, open: number, end: number): number[] {
  const starts = [open + 1];
  for (let i = open + 1; i < end; i++) {
    if (isOpening(tokens[i] as Token)) i = ends[i] as number;
    else if (tokens[i]?.text === ',') starts.push(i + 1);
  }
  return starts;
}

/** `CAST(x AS type)`. */
function readCast(scan: Scan, open: number): void {
  const { tokens, ends } = scan;
  if (tokens[open]?.text !== '(') return;
  const end = ends[open] as number;
  for (let i = open + 1; i < end; i++) {
    if (isOpening(tokens[i] as Token)) i = ends[i] as number;
    else if (isWord(tokens[i], 'as')) readType(scan, i + 1);
  }
}

/** The columns of CREATE TABLE, the type of CREATE TYPE, what ALTER TABLE adds or changes. */
function readDefinition(scan: Scan): void {
  const { tokens } = scan;
  if (isWord(tokens[0], 'alter')) return readAlter(scan);
  if (!isWord(tokens[0], 'create')) return;
  let i = 1;
  while (tokens[i]?.type === 'word' && CREATE_MODIFIERS.has(tokens[i]?.value ?? '')) i++;
  const [table, type] = [isWord(tokens[i], 'table'), isWord(tokens[i], 'type')];
  i++;
  if (isWord(tokens[i], 'if')) i += 3;
  if (!isName(tokens[i])) return;
  const { next } = nameAt(tokens, i);
  if (type && isWord(tokens[next], 'as')) readType(scan, next + 1);
  if (!table || tokens[next]?.text !== '(') return;
  for (const start of elements(scan, next, scan.ends[next] as number)) readColumn(scan, start);
}

function readColumn(scan: Scan, at: number): void {
  const [name, type] = [scan.tokens[at], scan.tokens[at + 1]];
  if (!isName(name) || (name.type === 'word' && CONSTRAINTS.has(name.value))) return;
  if (!(type?.type === 'word' && NO_TYPE.has(type.value))) readType(scan, at + 1);
}

function readAlter(scan: Scan): void {
  const { tokens } = scan;
  const add = tokens.findIndex((token) => isWord(token, 'add'));
  if (add > 0) {
    let i = isWord(tokens[add + 1], 'column') ? add + 2 : add + 1;
    if (isWord(tokens[i], 'if')) i += 3;
    if (isName(tokens[i])) {
      const { parts, next } = nameAt(tokens, i);
      readColumn(scan, parts.length > 1 ? next - 1 : i);
    }
  }
  tokens.forEach((token, i) => {
    // The column may be called `type` itself.
    if (isWord(token, 'type') && i > 3 && !isWord(tokens[i + 1], 'type')) readType(scan, i + 1);
  });
}

/** The tokens of each argument of the call whose bracket opens at a place. */
function argumentsOf(tokens: readonly Token[], ends: BracketEnds, open: number): Token[][] {
  const end = ends[open] as number;
  const starts = elements({ tokens, ends }, open, end);
  return starts.map((start, i) => tokens.slice(start, (starts[i + 1] ?? end + 1) - 1));
}

/** The texts of a structure that stand for types: `{"a": "INT", "b": ["s.mood"]}`. */
function readStructure(text: string, found: WrittenTypes): void {
  const texts = stringsOf(text)?.map(typeTokens);
  for (const tokens of texts ?? [null]) {
    if (tokens) readType({ tokens, ends: bracketEnds(tokens), types: found.types, certain: true }, 0);
    else found.computed = true;
  }
}

const JSON_STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** All strings of a JSON document but its keys, also those under a key that occurs twice; null when it is none. */
function stringsOf(text: string): string[] | null {
  try {
    JSON.parse(text);
    const strings = [...text.matchAll(JSON_STRING)].filter(([, colon]) => colon === undefined);
    return strings.map(([string]) => JSON.parse(string) as string);
  } catch {
    return null;
  }
}

function typeTokens(text: string): Token[] | null {
  try {
    return lex(text);
  } catch (error) {
    if (error instanceof LexicalError) return null;
    throw error;
  }
}
