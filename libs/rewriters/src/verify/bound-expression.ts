import { arrayOf, isObject, Json, JsonObject } from '../ast';

/** What tells nothing of what an expression computes. */
const PASSED_OVER = new Set(['query_location', 'alias']);

/**
 * An expression of the bound plan in a form of its own: equal forms compute the same of the same row. What refers to an
 * input column says its name; the marks of a text lose their nonce.
 *
 * @param names of the input columns, in order
 */
export function canonical(expression: Json, names: readonly (string | null)[], nonce: string): string {
  return JSON.stringify(simplified(expression, names, nonce));
}

function simplified(value: Json, names: readonly (string | null)[], nonce: string): Json {
  if (typeof value === 'string') return value.startsWith(nonce) ? `\0mark${value.slice(nonce.length)}` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => simplified(one, names, nonce));
  if (value.expression_class === 'BOUND_REF') return { ref: nameOf(value, names) };
  const result: JsonObject = {};
  for (const key in value) {
    if (!PASSED_OVER.has(key)) result[key] = simplified(value[key] as Json, names, nonce);
  }
  return result;
}

function nameOf(reference: JsonObject, names: readonly (string | null)[]): Json {
  const { index } = reference;
  const name = typeof index === 'number' ? names[index] : undefined;
  // Of a column that has no name here nothing is equal, but itself.
  return name ?? { index: index ?? null };
}

/** The input column that an expression is, and nothing else; null for any other. */
export function bareIndex(expression: Json | undefined): number | null {
  if (!isObject(expression) || expression.expression_class !== 'BOUND_REF') return null;
  return typeof expression.index === 'number' ? expression.index : null;
}

/** The input columns that an expression reads. */
export function indexesIn(value: Json | undefined, found = new Set<number>()): Set<number> {
  if (typeof value !== 'object' || value === null) return found;
  if (Array.isArray(value)) for (const one of value) indexesIn(one, found);
  else {
    const index = bareIndex(value);
    if (index !== null) found.add(index);
    for (const key in value) indexesIn(value[key], found);
  }
  return found;
}

/** The parts of `CASE WHEN guard THEN … ELSE … END`. */
export function guardOf(expression: Json): { guard: Json; rest: Json[] } | null {
  if (!isObject(expression) || expression.expression_class !== 'BOUND_CASE') return null;
  const [check, ...more] = arrayOf(expression.case_checks);
  if (!isObject(check) || more.length > 0 || check.when_expr === undefined) return null;
  return { guard: check.when_expr, rest: [check.then_expr ?? null, expression.else_expr ?? null] };
}
