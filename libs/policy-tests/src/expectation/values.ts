import type { JsonValue } from '@gadwall/engine';
import type { Cell } from '../source';

/** Types whose values are written as strings in JSON, all or some of them, though they are numbers. */
const LONG_NUMBERS = /\b(DECIMAL|U?BIGINT|U?HUGEINT|BIGNUM|VARINT)\b/;

/**
 * Whether a value of a file is that of an answer: numbers by value, whatever their type; all others as the SQL door writes
 * them in JSON. A text is also the JSON of any value but null.
 *
 * @param type of the column, as the SQL door names it
 */
function isValue(expected: Cell, seen: JsonValue, type: string): boolean {
  if (typeof expected === 'number' || typeof expected === 'bigint') return isNumber(expected, seen, type);
  if (typeof expected === 'string') return expected === seen || (seen !== null && expected === JSON.stringify(seen));
  if (expected === null || typeof expected !== 'object') return expected === seen;
  if (Array.isArray(expected)) {
    return (
      Array.isArray(seen) &&
      seen.length === expected.length &&
      expected.every((item, i) => isValue(item, seen[i] ?? null, type))
    );
  }
  if (seen === null || typeof seen !== 'object' || Array.isArray(seen)) return false;
  const keys = Object.keys(expected);
  return (
    keys.length === Object.keys(seen).length &&
    keys.every((key) => Object.hasOwn(seen, key) && isValue(expected[key] ?? null, seen[key] ?? null, type))
  );
}

function isNumber(expected: number | bigint, seen: JsonValue, type: string): boolean {
  if (typeof seen === 'number') {
    if (typeof expected === 'bigint') return Number.isInteger(seen) && BigInt(seen) === expected;
    return seen === expected || (/\bFLOAT\b/.test(type) && seen === Math.fround(expected));
  }
  // Infinity and NaN, which JSON does not have.
  if (typeof seen !== 'string') return false;
  if (typeof expected === 'number' && !Number.isFinite(expected)) return seen === String(expected);
  return LONG_NUMBERS.test(type) && plain(seen) === plain(String(expected));
}

/** A number in digits, without what does not change its value. */
function plain(text: string): string {
  if (!text.includes('.')) return text;
  return text.replace(/0+$/, '').replace(/\.$/, '');
}

/** An expected row and the one that it was found as; null where there is none, equal = they are of the same values. */
export interface RowPair {
  expected: Cell[] | null;
  seen: JsonValue[] | null;
  equal: boolean;
}

/** Rows expected and seen, paired: in their order if `ordered`, else those that are equal last. */
export function pairRows(
  expected: readonly Cell[][],
  seen: readonly JsonValue[][],
  types: readonly string[],
  ordered: boolean,
): RowPair[] {
  const isRow = (row: readonly Cell[], other: readonly JsonValue[]): boolean =>
    row.length === other.length && row.every((cell, i) => isValue(cell, other[i] ?? null, types[i] ?? ''));
  if (ordered) return beside(expected, seen, isRow);
  // What one expected value matches are all equal, so whichever row is taken, the others find theirs.
  const left = [...seen];
  const missing: Cell[][] = [];
  const found: RowPair[] = [];
  for (const row of expected) {
    const i = left.findIndex((other) => isRow(row, other));
    if (i < 0) missing.push(row);
    else found.push({ expected: row, seen: left.splice(i, 1)[0] ?? null, equal: true });
  }
  return [...beside(missing, left, () => false), ...found];
}

function beside(
  expected: readonly Cell[][],
  seen: readonly JsonValue[][],
  isRow: (row: readonly Cell[], other: readonly JsonValue[]) => boolean,
): RowPair[] {
  return Array.from({ length: Math.max(expected.length, seen.length) }, (_, i) => {
    const [row = null, other = null] = [expected[i], seen[i]];
    return { expected: row, seen: other, equal: row !== null && other !== null && isRow(row, other) };
  });
}
