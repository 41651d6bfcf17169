import { DuckDBInstance } from '@duckdb/node-api';
import { checkChunkSize } from './chunk-size';

async function weigh(sql: string): Promise<string> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await connection.stream(sql);
  try {
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      checkChunkSize(chunk);
    }
    return 'ok';
  } catch (error) {
    return (error as Error).message;
  } finally {
    connection.disconnectSync();
    instance.closeSync();
  }
}

test.each([
  'SELECT range(3000000) AS x',
  "SELECT {'a': [range(1500000)]} AS x",
  'SELECT MAP {1: range(1500000)} AS x',
  "SELECT repeat('x', 70000000) AS x",
  "SELECT repeat('x', 40000) AS x FROM range(2000)",
  "SELECT [repeat('x', 40000000), repeat('y', 40000000)] AS x",
])('rows that would hold the thread are not sent: %s', async (sql) => {
  expect(await weigh(sql)).toMatch(/^rows are too large to be sent/);
});

test.each([
  'SELECT range(100000) AS x',
  "SELECT CASE WHEN i % 2 = 0 THEN repeat('x', 20000) END AS x FROM range(2000) r(i)",
  "SELECT {'a': 1, 'b': 'x'} AS x, NULL::BLOB AS y, MAP {1: 'x'} AS z, [1, 2]::INT[2] AS w, 1 AS v FROM range(5000)",
])('others are: %s', async (sql) => {
  expect(await weigh(sql)).toBe('ok');
});
