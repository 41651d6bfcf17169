import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';

/** Functions that give a value, or NULL, for whatever values they are called with. */
const NEVER_FAIL = new Set(
  `~~ !~~ ~~* !~~* ~~~ contains starts_with prefix suffix ends_with ^@ lower upper lcase ucase length len strlen
  char_length character_length bit_length octet_length trim ltrim rtrim reverse || concat md5 sha1 sha256 hash ascii
  unicode ord instr strpos position greatest least list_contains array_contains list_has isnan isinf isfinite typeof
  nfc_normalize strip_accents`.split(/\s+/),
);
/**
 * Functions that fail on no value of their first argument, if the others are literals, and of no size that is out of range.
 * LIKE with ESCAPE is none: it fails where a value leads up to an escape at the end of the pattern.
 */
const NEVER_FAIL_IN_FIRST = new Set(
  `substring substr left right struct_extract array_extract
  regexp_matches regexp_full_match regexp_replace regexp_extract replace translate list_extract
  list_position`.split(/\s+/),
);

/** Arithmetic that fails on integers and decimals, and gives infinity or NaN on these. */
const FLOATING = new Set(['DOUBLE', 'FLOAT']);
const FLOATING_ARITHMETIC = new Set(['+', '-', '*', '/']);

const OPERATORS = new Set(
  'OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_NOT COMPARE_IN COMPARE_NOT_IN OPERATOR_COALESCE'.split(' '),
);

/** Whether an expression of the bound plan gives a value for every row that there could be. */
export function isLeakproof(expression: Json): boolean {
  if (!isObject(expression)) return true;
  const kind = stringOf(expression.expression_class);
  if (kind === 'BOUND_REF' || kind === 'BOUND_CONSTANT') return true;
  if (kind === 'BOUND_OPERATOR' && expression.type === 'OPERATOR_TRY') return true;
  return isItself(kind, expression) && operandsOf(expression).every(isLeakproof);
}

function isItself(kind: string, expression: JsonObject): boolean {
  switch (kind) {
    case 'BOUND_COMPARISON':
    case 'BOUND_CONJUNCTION':
    case 'BOUND_BETWEEN':
    case 'BOUND_CASE':
      return true;
    case 'BOUND_OPERATOR':
      return OPERATORS.has(stringOf(expression.type));
    case 'BOUND_CAST': {
      const to = typeOf(expression);
      return expression.try_cast === true || isSafeCast(typeOf(expression.child), to) || isRead(expression.child, to);
    }
    case 'BOUND_FUNCTION':
      return isSafeCall(expression);
    default:
      return false;
  }
}

function isSafeCall(call: JsonObject): boolean {
  const name = stringOf(call.name);
  const operands = operandsOf(call);
  if (NEVER_FAIL.has(name)) return true;
  if (NEVER_FAIL_IN_FIRST.has(name)) return operands.slice(1).every(isModest);
  if (PARTS_BY_NAME.has(name)) return operands.every((one) => TIMES.has(typeOf(one).id));
  if (DATE_PARTS.has(name)) return isPartOfTime(operands);
  if (name === '+' || name === '-') {
    const { id } = typeOf(call);
    return FLOATING.has(id) || (TIMES.has(id) && operands.every(isTerm));
  }
  if (INTERVALS.has(name)) return operands.every(isSmall);
  return FLOATING_ARITHMETIC.has(name) && FLOATING.has(typeOf(call).id);
}

/** Parts that every time has: an interval has not all of them, and which it lacks is told by an error. */
const PARTS = new Set('year month day quarter hour minute second century decade millennium week dow isodow'.split(' '));
const PARTS_BY_NAME = new Set(
  'year month day quarter hour minute second dayofweek isodow dayofmonth dayofyear week'.split(' '),
);
const DATE_PARTS = new Set(['date_part', 'datepart', 'date_trunc', 'datetrunc']);
const TIMES = new Set(['DATE', 'TIMESTAMP']);
const INTERVALS = new Set('to_days to_weeks to_months to_years to_hours to_minutes to_seconds'.split(' '));

function isPartOfTime([part, time]: readonly Json[]): boolean {
  const name = constantOf(part);
  return typeof name === 'string' && PARTS.has(name.toLowerCase()) && TIMES.has(typeOf(time).id);
}

/** A literal date, or a literal interval: a sum of more of them could leave the calendar. */
function isTerm(expression: Json): boolean {
  if (constantOf(expression) !== undefined) return true;
  if (!isObject(expression)) return false;
  if (expression.expression_class === 'BOUND_CAST') return isTerm(expression.child ?? null);
  return INTERVALS.has(stringOf(expression.name)) && operandsOf(expression).every(isSmall);
}

/** Sizes and places up to this are in the range of every function on texts and lists. */
const MODEST = 1_000_000_000;

function isModest(expression: Json): boolean {
  const value = constantOf(expression);
  if (typeof value === 'number') return Math.abs(value) <= MODEST;
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function constantOf(expression: Json | undefined): Json | undefined {
  if (!isObject(expression)) return undefined;
  if (expression.expression_class === 'BOUND_CAST') return constantOf(expression.child);
  if (expression.expression_class !== 'BOUND_CONSTANT' || !isObject(expression.value)) return undefined;
  return expression.value.value ?? null;
}

/** So many days, months or years that no date of our time leaves the calendar. */
const SMALL = 10_000;

function isSmall(expression: Json): boolean {
  const value = constantOf(expression);
  return typeof value === 'number' && Math.abs(value) <= SMALL;
}

/** A literal that its type can surely be read from: a constant that cannot be is an error on each row, hidden ones too. */
function isRead(child: Json | undefined, to: BoundType): boolean {
  if (!isObject(child) || child.expression_class !== 'BOUND_CONSTANT') return false;
  const value = constantOf(child);
  if (value === null) return true;
  if (typeof value === 'number') {
    const digits = Math.ceil(Math.log10(Math.abs(Math.trunc(value)) + 1));
    if (to.id === 'DECIMAL') return to.width - to.scale >= digits;
    return to.id === 'DOUBLE' || to.id === 'FLOAT' || (to.id in DIGITS && digits < (DIGITS[to.id] ?? 0) && value >= 0);
  }
  if (typeof value !== 'string') return false;
  if (to.id === 'DATE') return isDate(value);
  return to.id === 'VARCHAR';
}

/** A day of the calendar of our time, as `DATE '…'` is written. */
function isDate(text: string): boolean {
  if (!/^[12]\d{3}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function operandsOf(expression: JsonObject): Json[] {
  const checks = arrayOf(expression.case_checks).flatMap((one) =>
    isObject(one) ? [one.when_expr ?? null, one.then_expr ?? null] : [],
  );
  const named = ['child', 'left', 'right', 'input', 'lower', 'upper', 'else_expr'].flatMap((key) => {
    const operand = expression[key];
    return operand === undefined ? [] : [operand];
  });
  return [...arrayOf(expression.children), ...checks, ...named];
}

interface BoundType {
  id: string;
  width: number;
  scale: number;
}

function typeOf(expression: Json | undefined): BoundType {
  if (!isObject(expression)) return { id: '', width: 0, scale: 0 };
  const value = isObject(expression.value) ? expression.value.type : undefined;
  const type = isObject(expression.return_type) ? expression.return_type : isObject(value) ? value : {};
  const info = isObject(type.type_info) ? type.type_info : {};
  const number = (one: Json | undefined): number => (typeof one === 'number' ? one : 0);
  return { id: stringOf(type.id), width: number(info.width), scale: number(info.scale) };
}

/** Digits before the point that every value of an integer type fits in. */
const DIGITS: Readonly<Record<string, number>> = {
  BOOLEAN: 1,
  TINYINT: 3,
  UTINYINT: 3,
  SMALLINT: 5,
  USMALLINT: 5,
  INTEGER: 10,
  UINTEGER: 10,
  BIGINT: 19,
  UBIGINT: 20,
  HUGEINT: 39,
};
const SIGNED = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'];
const UNSIGNED = ['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'];
/** Types of which every value has a text. */
const PRINTED = new Set([
  ...Object.keys(DIGITS),
  'DECIMAL',
  'DOUBLE',
  'FLOAT',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'UUID',
  'ENUM',
]);

function isSafeCast(from: BoundType, to: BoundType): boolean {
  if (from.id === '' || to.id === '') return false;
  if (from.id === 'NULL') return true;
  if (from.id === to.id && from.id !== 'DECIMAL' && !NESTED.has(from.id)) return true;
  if (to.id === 'VARCHAR') return PRINTED.has(from.id);
  if (to.id === 'DOUBLE') return from.id in DIGITS || from.id === 'DECIMAL' || from.id === 'FLOAT';
  if (to.id === 'DECIMAL') {
    if (from.id === 'DECIMAL') return to.width - to.scale >= from.width - from.scale && to.scale >= from.scale;
    return from.id in DIGITS && to.width - to.scale >= (DIGITS[from.id] ?? Infinity);
  }
  return widens(from.id, to.id);
}

const NESTED = new Set(['STRUCT', 'LIST', 'MAP', 'ARRAY', 'UNION', 'ENUM']);

function widens(from: string, to: string): boolean {
  const [signedFrom, signedTo] = [SIGNED.indexOf(from), SIGNED.indexOf(to)];
  const [unsignedFrom, unsignedTo] = [UNSIGNED.indexOf(from), UNSIGNED.indexOf(to)];
  if (from === 'BOOLEAN') return signedTo >= 0 || unsignedTo >= 0;
  if (signedFrom >= 0 && signedTo >= 0) return signedTo >= signedFrom;
  if (unsignedFrom >= 0 && unsignedTo >= 0) return unsignedTo >= unsignedFrom;
  return unsignedFrom >= 0 && signedTo > unsignedFrom;
}
