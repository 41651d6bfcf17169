import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { fold } from '../lexer';
import { weightOf } from './pattern-weight';
import { isSteady } from './steady-pattern';

/**
 * Steps a row of all calls in one statement that take the product of two lengths. The engine looks at interrupts between
 * vectors of 2048 rows alone: over letters of one byte so many steps a row are 2 s of it, over letters of four 50 s.
 */
const MAX_STEPS = 131_072;
/** Characters of a text that any other may be compared with: the time grows with that one alone, by 50 ns a byte. */
const MAX_SHORT = 16;
/** Characters of a text that is looked for in any other: 20 ns a byte of that one. */
const MAX_SOUGHT = 1_000;
/**
 * Characters of a regular expression with its counted repetitions written out: up to 10 µs a character of the text. One that
 * is no constant is read anew for each row, which takes as long as reading many texts.
 */
const MAX_WEIGHT = 1_000;

/** Functions that take the product of the lengths of two texts, in time. */
const DISTANCES = new Set(
  'levenshtein editdist3 jaro_similarity jaro_winkler_similarity damerau_levenshtein'.split(' '),
);
/** And in memory, which the engine does not count. */
const IN_A_TABLE = 'damerau_levenshtein';
/** Takes the square of a run of combining marks; COLLATE NFC calls it too. */
const NORMALIZES = 'nfc_normalize';
/** Functions that look for their second argument at every place of the first. */
const SEEKING = new Set(
  'contains instr strpos position replace split string_split str_split string_to_array'.split(' '),
);
/** Functions that match a regular expression: once, and as often as it is found. */
const MATCHING = new Set('regexp_matches regexp_full_match regexp_extract regexp_replace'.split(' '));
const MATCHING_ALL = new Set('regexp_extract_all string_split_regex str_split_regex regexp_split_to_array'.split(' '));

/** What the calls of one plan take. */
export interface TextCosts {
  /** Why a call may take more than a thread of the engine can be held for. */
  unbounded: string[];
  /** Steps of each call that is bounded. */
  steps: number[];
}

/**
 * Notes a call that takes more than its texts are long, in a row that nothing interrupts. Such a call is bounded where the
 * plan shows that one or both texts are.
 *
 * @param call of a function, as DuckDB bound it, or as it parsed it in the definition of a table
 */
export function noteTextCost(call: JsonObject, costs: TextCosts): void {
  const name = nameOf(call);
  const args = arrayOf(call.children);
  const [first, second] = [charactersOf(args[0]), charactersOf(args[1])];
  if (DISTANCES.has(name)) noteProduct(name, first, second, costs);
  else if (name === NORMALIZES) noteSquare(first, costs);
  else if (SEEKING.has(name)) {
    if (Math.min(first, second) > MAX_SOUGHT && !isOfList(call)) {
      const list = name === 'contains' ? ', or list_contains() for a list' : '';
      costs.unbounded.push(`${name}() needs a bounded text to look for: ${name}(a, left(b, ${MAX_SOUGHT}))${list}`);
    }
  } else if (MATCHING.has(name) || MATCHING_ALL.has(name)) {
    const pattern = textOf(args[1]);
    if (pattern === null || weightOf(pattern) > MAX_WEIGHT) {
      costs.unbounded.push(
        `${name}() takes a literal pattern of at most ${MAX_WEIGHT} characters, a{100} written out; contains(a, left(b, ${MAX_SOUGHT})) looks for a bounded text`,
      );
    } else if (matchesAll(name, args) && first > MAX_SOUGHT && !isSteady(pattern)) {
      costs.unbounded.push(
        `${name}() of all matches needs a bounded text, left(a, ${MAX_SOUGHT}), or a literal pattern in which nothing that repeats without end is optional or one of several`,
      );
    }
  }
}

/** Adds what the calls of a whole plan come to. */
export function noteAllSteps({ steps, unbounded }: TextCosts): void {
  if (steps.reduce((sum, each) => sum + each, 0) <= MAX_STEPS) return;
  unbounded.push(
    `distances of texts take at most ${MAX_STEPS} steps a row, the products of the lengths of their texts`,
  );
}

function noteProduct(name: string, first: number, second: number, { steps, unbounded }: TextCosts): void {
  const product = Math.max(1, first) * Math.max(1, second);
  if (product <= MAX_STEPS) steps.push(product);
  else if (name === IN_A_TABLE || Math.min(first, second) > MAX_SHORT) {
    const short = name === IN_A_TABLE ? '' : `, or one of at most ${MAX_SHORT} characters`;
    unbounded.push(`${name}() needs bounded texts: ${name}(left(a, 256), left(b, 256))${short}`);
  }
}

function noteSquare(length: number, { steps, unbounded }: TextCosts): void {
  if (length * length <= MAX_STEPS) steps.push(length * length);
  else unbounded.push(`${NORMALIZES}(), which COLLATE NFC calls, needs a bounded text: ${NORMALIZES}(left(a, 256))`);
}

/** `contains` of a list or a map compares its elements; a definition does not tell what it is of. */
function isOfList(call: JsonObject): boolean {
  const [type] = arrayOf(call.arguments);
  return isObject(type) && ['LIST', 'ARRAY', 'MAP'].includes(stringOf(type.id));
}

function matchesAll(name: string, args: readonly Json[]): boolean {
  if (name !== 'regexp_replace') return MATCHING_ALL.has(name);
  const options = args[3];
  return options !== undefined && (textOf(options)?.includes('g') ?? true);
}

/** Types whose values are short as texts. */
const SHORT_TYPES = new Set(
  `BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT FLOAT DOUBLE DECIMAL DATE TIME
  TIMESTAMP UUID`.split(/\s+/),
);
const SHORT_CHARACTERS = 64;

/** How many characters an expression gives at most, as far as the plan shows. */
function charactersOf(expression: Json | undefined): number {
  if (!isObject(expression)) return Infinity;
  const shortest = SHORT_TYPES.has(typeOf(expression)) ? SHORT_CHARACTERS : Infinity;
  const args = arrayOf(expression.children);
  switch (expression.expression_class ?? expression.class) {
    case 'BOUND_CONSTANT':
    case 'CONSTANT':
      return charactersOfConstant(expression.value);
    case 'BOUND_CAST':
    case 'CAST':
      return typeOf(expression) === 'VARCHAR' ? charactersOf(expression.child) : shortest;
    case 'BOUND_FUNCTION':
    case 'FUNCTION':
      return Math.min(shortest, charactersOfCall(nameOf(expression), args));
    case 'OPERATOR':
      return expression.type === 'ARRAY_SLICE' ? charactersOfCall('array_slice', args) : Infinity;
    default:
      return shortest;
  }
}

function charactersOfConstant(value: Json | undefined): number {
  if (!isObject(value) || !isObject(value.type)) return Infinity;
  if (value.is_null === true) return 0;
  const type = stringOf(value.type.id);
  if (type === 'VARCHAR') return stringOf(value.value).length;
  return SHORT_TYPES.has(type) ? SHORT_CHARACTERS : Infinity;
}

function charactersOfCall(name: string, args: readonly Json[]): number {
  switch (name) {
    case 'left':
    case 'right':
      return countOf(args[1]);
    case 'substring':
    case 'substr':
      return countOf(args[2]);
    case 'array_slice':
      // Neither end is counted from behind.
      return countOf(args[1]) === Infinity ? Infinity : Math.max(0, countOf(args[2]) - countOf(args[1]) + 1);
    case '||':
    case 'concat':
      return args.reduce<number>((sum, arg) => sum + charactersOf(arg), 0);
    case 'lower':
    case 'lcase':
    case 'upper':
    case 'ucase':
    case 'trim':
    case 'ltrim':
    case 'rtrim':
    case 'strip_accents':
    case 'reverse':
      return charactersOf(args[0]);
    case 'chr':
      return 1;
    default:
      return Infinity;
  }
}

/** A plain number that is not negative; Infinity for anything else. */
function countOf(expression: Json | undefined): number {
  const constant = constantOf(expression);
  return typeof constant === 'number' && constant >= 0 ? constant : Infinity;
}

/** The text that a constant is, or constants that are joined; null for anything else. */
function textOf(expression: Json | undefined): string | null {
  if (isObject(expression) && nameOf(expression) === '||') {
    const parts = arrayOf(expression.children).map(textOf);
    return parts.includes(null) ? null : parts.join('');
  }
  const constant = constantOf(expression);
  return typeof constant === 'string' ? constant : null;
}

function constantOf(expression: Json | undefined): Json | undefined {
  if (!isObject(expression)) return undefined;
  const kind = expression.expression_class ?? expression.class;
  if (kind === 'BOUND_CAST' || kind === 'CAST') return constantOf(expression.child);
  return isObject(expression.value) ? expression.value.value : undefined;
}

function nameOf(call: JsonObject): string {
  return fold(stringOf(call.name) || stringOf(call.function_name));
}

function typeOf(expression: JsonObject): string {
  const type = expression.return_type ?? expression.cast_type;
  return isObject(type) ? stringOf(type.id) : '';
}
