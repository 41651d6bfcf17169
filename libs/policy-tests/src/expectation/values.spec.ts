import type { JsonValue } from '@gadwall/engine';
import type { Cell } from '../source';
import { pairRows } from './values';

const equal = (expected: Cell, seen: JsonValue, type: string): boolean =>
  pairRows([[expected]], [[seen]], [type], false).every((pair) => pair.equal);

test.each<[Cell, JsonValue, string]>([
  [1n, 1, 'INTEGER'],
  [1n, 1, 'DOUBLE'],
  [1.5, '1.50', 'DECIMAL(9,2)'],
  [7n, '7.00', 'DECIMAL(9,2)'],
  [-7n, '-7', 'HUGEINT'],
  [9007199254740993n, '9007199254740993', 'BIGINT'],
  [0.1, Math.fround(0.1), 'FLOAT'],
  [Number.NaN, 'NaN', 'DOUBLE'],
  ['1.50', '1.50', 'DECIMAL(9,2)'],
  ['2026-01-31', '2026-01-31', 'DATE'],
  ['2026-01-31 12:00:00Z', '2026-01-31 12:00:00Z', 'TIMESTAMP WITH TIME ZONE'],
  ['1', 1, 'INTEGER'],
  ['[1,2]', [1, 2], 'INTEGER[]'],
  [null, null, 'INTEGER'],
  [true, true, 'BOOLEAN'],
  [[1n, [null]], [1, [null]], 'INTEGER[][]'],
  [{ a: 1n, b: ['x'] }, { b: ['x'], a: 1 }, 'STRUCT(a INTEGER, b VARCHAR[])'],
])('%p is the value %j of %s', (expected, seen, type) => {
  expect(equal(expected, seen, type)).toBe(true);
});

test.each<[Cell, JsonValue, string]>([
  [1n, '1', 'VARCHAR'],
  [1n, 1.5, 'DOUBLE'],
  [1n, true, 'BOOLEAN'],
  [9007199254740993n, 9007199254740992, 'BIGINT'],
  [9007199254740993n, '9007199254740992', 'BIGINT'],
  [0.1, Math.fround(0.1), 'DOUBLE'],
  [null, 'null', 'VARCHAR'],
  ['', null, 'VARCHAR'],
  ['null', null, 'VARCHAR'],
  ['1.0', 1, 'DOUBLE'],
  [[1n], [1, 2], 'INTEGER[]'],
  [[1n, 2n], [2, 1], 'INTEGER[]'],
  [{ a: 1n }, { a: 1, b: 2 }, 'STRUCT(a INTEGER, b INTEGER)'],
  [{ a: 1n, c: 2n }, { a: 1, b: 2 }, 'STRUCT(a INTEGER, b INTEGER)'],
  [{}, null, 'STRUCT(a INTEGER)'],
])('%p is not the value %j of %s', (expected, seen, type) => {
  expect(equal(expected, seen, type)).toBe(false);
});

describe('rows', () => {
  const differing = (expected: Cell[][], seen: JsonValue[][], ordered: boolean) =>
    pairRows(expected, seen, ['INTEGER', 'INTEGER'], ordered).flatMap((pair) =>
      pair.equal ? [] : [[pair.expected, pair.seen]],
    );

  test('are equal in any order, each as often as it is expected', () => {
    expect(differing([[1n], [2n], [1n]], [[1], [1], [2]], false)).toEqual([]);
    expect(differing([[1n], [1n], [2n]], [[1], [2], [2]], false)).toEqual([[[1n], [2]]]);
  });

  test('that are ordered are equal in that order alone', () => {
    expect(differing([[1n], [2n]], [[1], [2]], true)).toEqual([]);
    expect(differing([[1n], [2n]], [[2], [1]], true)).toHaveLength(2);
  });

  test('too many, too few, or of another width are not equal', () => {
    expect(differing([], [[1]], false)).toEqual([[null, [1]]]);
    expect(differing([[1n]], [], true)).toEqual([[[1n], null]]);
    expect(differing([[1n]], [[1, 2]], false)).toHaveLength(1);
  });
});
