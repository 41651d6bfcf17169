import { classOfFunction } from '../classification';
import { fold, Token } from '../lexer';
import { ScreenRefusal } from './refusal';
import { isGrammarWord } from './statement-kinds';
import { BracketEnds, isOpening } from './written-object';

/** Largest constant handed to a function whose result grows with it, and largest result of nested ones. */
const MAX_CONSTANT = 1_000_000;
/**
 * Largest result of other functions over constants, and most steps: one may give, or take, the product of the sizes of its
 * arguments (`replace`, `list_transform`, `levenshtein`).
 */
const MAX_FOLDED = 20_000_000;

/** Functions whose result grows with a number in their arguments, and which of these: folded while the engine binds. */
const MULTIPLIERS: ReadonlyMap<string, readonly number[]> = new Map(
  Object.entries({
    repeat: [1],
    lpad: [1],
    rpad: [1],
    range: [0, 1, 2],
    generate_series: [0, 1, 2],
    list_resize: [1],
    array_resize: [1],
    repeat_row: [0, 1, 2],
    bar: [3],
    bitstring: [1],
    to_base: [2],
    format: [0],
    printf: [0],
  }),
);

/** Functions whose text says how wide another argument is written. */
const FORMATS = new Set(['format', 'printf']);

/** Functions whose result is no larger than their arguments together. */
const ADDITIVE = new Set(
  `concat concat_ws list_value list_pack array_value struct_pack row coalesce ifnull nullif greatest least
  from_json from_json_strict json_transform json_transform_strict`.split(/\s+/),
);

/** Words of an expression over constants that name nothing. */
const CONSTANT_WORDS = new Set(
  `true false day days month months year hour hours minute second week lambda current_date current_time
  current_timestamp localtime localtimestamp`.split(/\s+/),
);
/** Functions that are not worked out while the engine binds, even of constants: they hang on rows, or on chance. */
const NOT_FOLDED = new Set(
  `count count_star count_if sum any_value row_number rank dense_rank rank_dense percent_rank cume_dist ntile random uuid
  uuidv4 uuidv7 gen_random_uuid`.split(/\s+/),
);
/** Signs between numbers whose result is no larger than their product. */
const ARITHMETIC = new Set(['+', '-', '*', '/', '//', '%', '::']);

/** What a run of tokens comes to, as far as they tell. */
interface Size {
  /** It holds no column: the engine works it out while it binds, and cannot be interrupted there. */
  constant: boolean;
  /** Bytes or elements, at most, of what is constant in it. */
  size: number;
  /** The number that it stands for, at most; null where numbers and plain arithmetic do not tell. */
  value: number | null;
}

interface Scan {
  readonly tokens: readonly Token[];
  readonly ends: BracketEnds;
  /** Names that stand for constants: parameters of lambdas, and aliases with what they stand for. */
  readonly constants: Map<string, Size>;
}

/**
 * Refuses what grows out of constants: a size multiplier over a large or an unknown one, and functions whose constant
 * arguments multiply. What hangs on a column is not folded, and left to the limits of time and memory.
 */
export function checkSizeMultipliers(tokens: readonly Token[], ends: BracketEnds): void {
  const scan: Scan = { tokens, ends, constants: new Map() };
  let calls = false;
  for (let i = 1; i < tokens.length; i++) {
    const { text } = tokens[i] as Token;
    const before = tokens[i - 1];
    if (text === '(') calls ||= isCall(before);
    else if (text === '->') for (const name of lambdaParameters(tokens, i)) scan.constants.set(name, ONE);
    else if (before?.type === 'word' && before.value === 'lambda')
      scan.constants.set(fold((tokens[i] as Token).value), ONE);
  }
  if (calls) sizeOf(scan, 0, tokens.length);
}

const ONE: Size = { constant: true, size: 1, value: null };

/** `x -> …`, `(x, i) -> …`, at the beginning of an argument. */
function lambdaParameters(tokens: readonly Token[], arrow: number): string[] {
  const names: string[] = [];
  let i = arrow - 1;
  if (tokens[i]?.text !== ')') {
    const argument = tokens[i - 1]?.text === ',' || tokens[i - 1]?.text === '(';
    return argument && isPlainName(tokens[i]) ? [fold((tokens[i] as Token).value)] : [];
  }
  for (i--; i >= 0 && tokens[i]?.text !== '('; i--)
    if (isPlainName(tokens[i])) names.push(fold((tokens[i] as Token).value));
  return names;
}

function isPlainName(token: Token | undefined): boolean {
  return token?.type === 'quoted' || (token?.type === 'word' && !isGrammarWord(token.value));
}

/** The tokens of one level: what they come to adds up. Of a list no number is known. */
function sizeOf(scan: Scan, start: number, end: number): Size {
  const { tokens } = scan;
  let [constant, size, list] = [true, 0, false];
  const item: Size = { constant: true, size: 0, value: 1 };
  const close = (): void => {
    constant &&= item.constant;
    size += item.size;
    item.constant = true;
    item.size = 0;
    item.value = 1;
  };
  for (let i = start; i < end; i++) {
    const token = tokens[i] as Token;
    const aliased = token.type === 'word' && token.value === 'as' ? tokens[i + 1] : undefined;
    if (token.text === ',' || (token.type === 'word' && token.value === 'select')) {
      list ||= token.text === ',';
      close();
    } else if (aliased && isPlainName(aliased) && tokens[i + 2]?.text !== '(') {
      if (item.constant && item.size > 0) scan.constants.set(fold(aliased.value), { ...item });
      i++;
    } else if (token.type === 'number') {
      item.size++;
      if (item.value !== null) item.value *= numberOf(token);
    } else {
      const part = isOpening(token) ? ofBracket(scan, i) : ofToken(scan, i);
      item.constant &&= part.constant;
      item.size += part.size;
      item.value = item.value === null || part.value === null ? null : item.value * part.value;
      if (isOpening(token)) i = scan.ends[i] as number;
    }
  }
  return { constant: constant && item.constant, size: size + item.size, value: list ? null : item.value };
}

function ofToken({ tokens, constants }: Scan, i: number): Size {
  const token = tokens[i] as Token;
  switch (token.type) {
    case 'number':
      return { constant: true, size: 1, value: numberOf(token) };
    case 'string':
      return { constant: true, size: Math.max(1, token.value.length), value: largestNumber(token.value) };
    case 'operator':
      return { constant: true, size: 0, value: ARITHMETIC.has(token.text) ? 1 : null };
    case 'word':
    case 'quoted': {
      if (tokens[i + 1]?.text === '(' || isTypeName(tokens, i)) return { constant: true, size: 0, value: 1 };
      const known = constants.get(fold(token.value));
      if (known) return known;
      const plain = token.type === 'word' && (isGrammarWord(token.value) || CONSTANT_WORDS.has(token.value));
      return plain ? { constant: true, size: 0, value: null } : { constant: false, size: 0, value: null };
    }
    default:
      return { constant: true, size: 0, value: token.text === '*' ? null : 1 };
  }
}

function numberOf(token: Token): number {
  const { text } = token;
  return Math.max(1, Number(text.includes('_') ? text.replaceAll('_', '') : text));
}

/** Numbers in a text count as what they say: `'{:1000000}'`, a date. */
function largestNumber(text: string): number {
  return Math.max(1, ...(text.match(/\d{1,18}/g) ?? []).map(Number));
}

function isTypeName(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  return before?.text === '::' || (before?.type === 'word' && before.value === 'as');
}

function ofBracket(scan: Scan, open: number): Size {
  const { tokens, ends } = scan;
  const end = ends[open] as number;
  const name = tokens[open - 1];
  if (name?.type === 'word' && (name.value === 'cast' || name.value === 'try_cast')) {
    // The type adds nothing to what is cast.
    return sizeOf(scan, open + 1, asOf(scan, open, end));
  }
  if (tokens[open]?.text !== '(' || !isCall(name)) return sizeOf(scan, open + 1, end);
  return ofCall(scan, fold(name.value), open, end);
}

/** Where the AS of a cast stands; the closing bracket when there is none. */
function asOf({ tokens, ends }: Scan, open: number, end: number): number {
  for (let i = open + 1; i < end; i++) {
    const token = tokens[i] as Token;
    if (isOpening(token)) i = ends[i] as number;
    else if (token.type === 'word' && token.value === 'as') return i;
  }
  return end;
}

function isCall(name: Token | undefined): name is Token {
  if (name?.type === 'quoted') return true;
  return name?.type === 'word' && (!isGrammarWord(name.value) || classOfFunction(name.value, 'scalar') !== undefined);
}

function ofCall(scan: Scan, name: string, open: number, end: number): Size {
  const args = argumentsOf(scan, open, end).map(([from, to]) => sizeOf(scan, from, to));
  const constant = !NOT_FOLDED.has(name) && args.every((arg) => arg.constant);
  // As large as a variable can be: what it holds is not in the text.
  if (name === 'getvariable') return { constant: true, size: MAX_CONSTANT, value: null };
  if (FORMATS.has(name) && scan.tokens.slice(open + 1, end).some(takesWidth)) {
    tooLarge(name, 'widths that stand in its text');
  }
  const sizes = MULTIPLIERS.get(name);
  if (sizes) return ofMultiplier(scan, name, args, sizes, open);
  const all = args.map(({ size }) => Math.max(1, size));
  const size = ADDITIVE.has(name) ? all.reduce((a, b) => a + b, 0) : all.reduce((a, b) => a * b, 1);
  if (size > MAX_FOLDED) tooLarge(name, `over constants that come to at most ${MAX_FOLDED}`);
  return { constant, size, value: null };
}

function ofMultiplier(scan: Scan, name: string, args: Size[], sizes: readonly number[], open: number): Size {
  const { tokens } = scan;
  // `FROM range(…)` streams its rows, so it multiplies nothing.
  const before = tokens[open - 2];
  if (before?.type === 'word' && (before.value === 'from' || before.value === 'join')) {
    return { constant: false, size: 1, value: null };
  }
  // `x.repeat(n)`: the first argument stands before the name.
  const shift = before?.text === '.' ? 1 : 0;
  const counts = args.filter((_, i) => sizes.includes(i) || sizes.includes(i + shift));
  const others = args.filter((arg) => !counts.includes(arg));
  let product = others.reduce((sum, { size }) => sum + size, 0) || 1;
  for (const { constant, value } of counts) {
    if (!constant) return { constant: false, size: 1, value: null };
    if (value === null) tooLarge(name, 'plain constants or columns here');
    product *= value;
  }
  if (product > MAX_CONSTANT) tooLarge(name, `constants of at most ${MAX_CONSTANT}`);
  return { constant: args.every(({ constant }) => constant), size: product, value: null };
}

/** `{:{}}` and `%*d` take a width out of the arguments. */
function takesWidth(token: Token): boolean {
  if (token.type !== 'string') return false;
  return /\{[^{}]*\{/.test(token.value.replaceAll('{{', '')) || /%[^a-zA-Z%]*\*/.test(token.value);
}

function tooLarge(name: string, takes: string): never {
  throw new ScreenRefusal('statement_too_large', `${name}() takes ${takes}`);
}

/** Where each argument between two brackets begins and ends. */
function argumentsOf({ tokens, ends }: Scan, open: number, end: number): [number, number][] {
  const list: [number, number][] = [];
  let start = open + 1;
  for (let i = open + 1; i < end; i++) {
    if (isOpening(tokens[i] as Token)) i = ends[i] as number;
    else if (tokens[i]?.text === ',') {
      list.push([start, i]);
      start = i + 1;
    }
  }
  return end > start ? [...list, [start, end]] : list;
}
