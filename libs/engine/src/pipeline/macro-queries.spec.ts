import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

const LAKE = `CREATE TABLE customer(id INT); INSERT INTO customer VALUES (1); CREATE TABLE secret(v VARCHAR)`;

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(LAKE);
});
afterAll(() => lake.close());

test('a superuser makes a macro over a query as text, and uses it; nobody else does', async () => {
  expect(
    (await lake.run(ROOT, "CREATE MACRO lake.main.m2() AS TABLE SELECT * FROM query('SELECT * FROM customer')")).code,
  ).toBe('ok');
  expect((await lake.run(ROOT, 'CREATE MACRO lake.main.mq(t) AS TABLE SELECT * FROM query_table(t)')).code).toBe('ok');
  expect((await lake.run(ROOT, 'FROM lake.main.m2()')).rows).toEqual([[1]]);
  expect((await lake.run(ROOT, "FROM mq('customer')")).rows).toEqual([[1]]);
  const adm = userWith('adm', 'ALL *.*.*');
  for (const sql of [
    'FROM m2()',
    "FROM mq('customer')",
    "CREATE MACRO lake.main.m3() AS TABLE SELECT * FROM query('SELECT 1')",
  ]) {
    expect((await lake.run(adm, sql)).code).toBe('access_denied');
  }
});

test.each([
  "CREATE MACRO lake.main.bad() AS TABLE SELECT * FROM query('PRAGMA version')",
  "CREATE MACRO lake.main.bad() AS TABLE SELECT * FROM query('SELECT 1; SELECT 2')",
  "CREATE MACRO lake.main.bad() AS TABLE SELECT * FROM query('SELECT ' || 'x')",
  'CREATE MACRO lake.main.bad(t) AS TABLE SELECT * FROM query(t)',
  "CREATE MACRO lake.main.bad() AS TABLE SELECT * FROM QUERY('INSTALL httpfs')",
  'CREATE MACRO lake.main.bad(t) AS json_execute_serialized_sql(t)',
  "INSERT INTO customer SELECT 1 FROM query('SELECT 1')",
  "CALL query('SELECT 1')",
])('no superuser has a text run that nothing has screened: %s', async (sql) => {
  expect((await lake.run(ROOT, sql)).code).toBe('access_denied');
});
