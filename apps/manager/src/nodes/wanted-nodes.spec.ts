import { servesPool, wantedNodes } from './wanted-nodes';

const pool = (poolId: string, databaseId: string, more = {}) => ({
  poolId,
  databaseId,
  databaseKind: 'duckdb-file',
  readOnly: false,
  stopped: false,
  size: 1,
  ...more,
});
const names = (...bindings: ReturnType<typeof pool>[]) => wantedNodes(bindings).map(({ name }) => name);

test('a database that one process can hold has one node for all pools, whatever their sizes', () => {
  expect(names(pool('bi', 'db', { size: 3 }), pool('etl', 'db', { size: 2 }))).toEqual(['db']);
  expect(names(pool('bi', 'mem', { databaseKind: 'memory', size: 3 }))).toEqual(['mem']);
});

test('of a read-only database in memory each pool has as many nodes as its size, and they serve that pool alone', () => {
  const [bi, etl] = [
    pool('bi', 'ref', { databaseKind: 'memory', readOnly: true, size: 2 }),
    pool('etl', 'ref', { databaseKind: 'memory', readOnly: true }),
  ];
  expect(names(bi, etl)).toEqual(['bi.1', 'bi.2', 'etl.1']);
  const [first] = wantedNodes([bi, etl]);
  expect([bi, etl].map((binding) => first && servesPool(first, binding))).toEqual([true, false]);
});

test('a pool that is stopped, has no size, or is of a kind that no node servesPool needs none', () => {
  expect(names(pool('a', 'x', { stopped: true }), pool('b', 'y', { size: 0 }))).toEqual([]);
  expect(names(pool('c', 'z', { databaseKind: 'ducklake' }))).toEqual([]);
});
