import { DuckDBInstance } from '@duckdb/node-api';
import { columnsOf } from '@gadwall/engine';
import { tableFromIPC } from 'apache-arrow';
import { ResultFormat, resultWriter } from '.';

const TAIL = { rowCount: 0, affected: null, truncated: false, policyVersion: { tenant: 1, system: 2 }, elapsedMs: 1 };

async function write(format: ResultFormat, sql: string): Promise<Buffer> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await connection.stream(sql);
  const writer = resultWriter(format);
  const parts = [writer.head({ queryId: 'q', kind: 'SELECT', columns: columnsOf(result) })];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    parts.push(writer.rows(chunk, chunk.rowCount));
  }
  parts.push(writer.tail(TAIL));
  connection.disconnectSync();
  instance.closeSync();
  return Buffer.concat(parts);
}

const json = async (sql: string) =>
  JSON.parse((await write('json', sql)).toString()) as { columns: unknown[]; rows: unknown[][] };

describe('JSON values as the SQL door writes them', () => {
  test.each([
    ['true', true],
    ['1::INTEGER', 1],
    ['9007199254740991::BIGINT', 9007199254740991],
    ['9007199254740992::BIGINT', '9007199254740992'],
    ['170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
    ['1.5::DOUBLE', 1.5],
    ["'nan'::DOUBLE", 'NaN'],
    ["'inf'::DOUBLE", 'Infinity'],
    ["'-inf'::FLOAT", '-Infinity'],
    ['1.50::DECIMAL(5,2)', '1.50'],
    ["DATE '2026-01-31'", '2026-01-31'],
    ["TIME '12:34:56'", '12:34:56'],
    ["TIMESTAMP '2026-01-31 12:00:00.123456'", '2026-01-31 12:00:00.123456'],
    ["TIMESTAMPTZ '2026-01-31 12:00:00+00'", '2026-01-31 12:00:00Z'],
    ["'ab'::BLOB", 'YWI='],
    ["'6dbf6d3e-7b0a-4b6a-9c2e-0f6d3d1f2a3b'::UUID", '6dbf6d3e-7b0a-4b6a-9c2e-0f6d3d1f2a3b'],
    ["'0101'::BIT", '0101'],
    ['[1, NULL, 2]', [1, null, 2]],
    ["{'a': 1, 'b': 'x'}", { a: 1, b: 'x' }],
    ["MAP {'k': 1}", [['k', 1]]],
    ['union_value(num := 2)', { tag: 'num', value: 2 }],
    ['NULL', null],
  ])('%s', async (sql, expected) => {
    expect((await json(`SELECT ${sql} AS v`)).rows).toEqual([[expected]]);
  });

  test('an interval is the text of the engine', async () => {
    expect((await json("SELECT INTERVAL '1 day 2 hours' AS v")).rows).toEqual([['1 day 02:00:00']]);
  });

  test('column names repeat as the engine gives them, with their types', async () => {
    const { columns } = await json('SELECT 1::DECIMAL(10,2) AS a, 2 AS a, now() AS t');
    expect(columns).toEqual([
      { name: 'a', type: 'DECIMAL(10,2)' },
      { name: 'a', type: 'INTEGER' },
      { name: 't', type: 'TIMESTAMP WITH TIME ZONE' },
    ]);
  });
});

test('CSV quotes what needs it, and tells NULL from an empty text', async () => {
  const csv = await write('csv', `SELECT 'a,b' AS "x""y", '' AS e, NULL AS n, 1 AS i`);
  expect(csv.toString()).toBe('"x""y",e,n,i\r\n"a,b","",,1\r\n');
});

test('Arrow keeps numbers, decimals, dates and texts over many chunks', async () => {
  const bytes = await write(
    'arrow',
    `SELECT i::BIGINT AS b, i::INTEGER AS n, (i / 4)::DECIMAL(20,2) AS d, DATE '2026-01-01' + i::INTEGER AS day,
       CASE WHEN i % 3 = 0 THEN NULL ELSE 'text ' || i END AS s, i % 2 = 0 AS even, [i] AS l
     FROM range(5000) r(i)`,
  );
  const table = tableFromIPC(bytes);
  expect(table.numRows).toBe(5000);
  const row = table.get(4999)?.toJSON() as Record<string, unknown>;
  expect(row.b).toBe(4999n);
  expect(row.n).toBe(4999);
  expect(String(row.d)).toBe('124975');
  expect(row.s).toBe('text 4999');
  expect(row.even).toBe(false);
  expect(row.l).toBe('[4999]');
  expect(table.get(3)?.toJSON().s).toBeNull();
});

test('Arrow of no rows still tells the columns', async () => {
  const table = tableFromIPC(await write('arrow', 'SELECT 1 AS a WHERE false'));
  expect(table.numRows).toBe(0);
  expect(table.schema.fields.map((field) => field.name)).toEqual(['a']);
});
