import { EffectiveSet } from '@gadwall/rbac';
import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

/** Whatever is hidden is called zz…; the rest is granted. */
const SEED = `
  CREATE TABLE customer(id INT NOT NULL, name VARCHAR DEFAULT 'zzdefault'); INSERT INTO customer VALUES (1, 'Anna');
  CREATE TABLE "Odd""Name"(x INT); CREATE VIEW v AS SELECT id FROM lake.main.customer WHERE name <> 'zzbody';
  CREATE TABLE zzsecret(zzcol INT); CREATE VIEW zzview AS SELECT 1 AS zzone;
  CREATE SCHEMA zzschema; CREATE TABLE zzschema.zzt(zzq INT); CREATE SCHEMA pub; CREATE TABLE pub.t(a INT); CREATE TABLE pub.zzdenied(b INT);
  ATTACH ':memory:' AS zzother; CREATE TABLE zzother.main.zztheirs(c INT)`;

const deny = (set: EffectiveSet, catalog: string, schema: string, table: string): EffectiveSet => ({
  ...set,
  permissions: [...set.permissions, { effect: 'deny', catalog, schema, table, verb: 'ALL' }],
});
const ana = deny(
  userWith('ana', 'RO lake.main.customer', 'RO lake.main.V', 'RO lake.main.Odd"Name', 'RO *.pub.*', 'RW lake.pub.t'),
  '*',
  'pub',
  'zzdenied',
);
const nil = userWith('nil');

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(SEED);
});
afterAll(() => lake.close());

const column = async (set: EffectiveSet, sql: string) => {
  const { code, message, rows } = await lake.run(set, sql);
  expect({ code, message }).toEqual({ code: 'ok', message: '' });
  return rows.map(([value]) => value).sort();
};

const GRANTED = ['Odd"Name', 'customer', 't', 'v'];

test.each([
  ['SELECT table_name FROM information_schema.tables', GRANTED],
  ['SELECT t.table_name FROM "INFORMATION_SCHEMA"."Tables" AS t', GRANTED],
  ['SELECT DISTINCT table_name FROM information_schema.columns', GRANTED],
  ['SELECT table_name FROM information_schema.views', ['v']],
  ['SELECT schema_name FROM information_schema.schemata', ['main', 'pub']],
  ['SELECT table_name FROM duckdb_tables()', ['Odd"Name', 'customer', 't']],
  ['SELECT view_name FROM duckdb_views()', ['v']],
  ['SELECT DISTINCT table_name FROM duckdb_columns() c', GRANTED],
  ['SELECT schema_name FROM duckdb_schemas()', ['main', 'pub']],
  [
    'SELECT a.table_name FROM duckdb_tables() a JOIN information_schema.tables b USING (table_name)',
    ['Odd"Name', 'customer', 't'],
  ],
  ['WITH x AS (FROM duckdb_tables()) SELECT table_name FROM x', ['Odd"Name', 'customer', 't']],
  ['SELECT (SELECT count(*) FROM duckdb_tables())', [3]],
  ["SELECT table_name FROM query('FROM duckdb_tables()')", ['Odd"Name', 'customer', 't']],
  ['SELECT c.id FROM customer c WHERE EXISTS (FROM duckdb_tables() t WHERE t.table_name = c.name)', []],
  [
    'SELECT x.n FROM customer c, LATERAL (SELECT count(*) AS n FROM information_schema.columns i WHERE i.table_name > c.name) x',
    [5],
  ],
])('%s lists what is granted', async (sql, names) => {
  expect(await column(ana, sql)).toEqual(names);
});

test('no column of a listing tells of what is hidden', async () => {
  for (const name of ['tables', 'columns', 'views', 'schemata']
    .map((one) => `information_schema.${one}`)
    .concat(['tables', 'columns', 'views', 'schemas'].map((one) => `duckdb_${one}()`))) {
    const { code, rows, columns } = await lake.run(ana, `SELECT * FROM ${name}`);
    expect(code).toBe('ok');
    expect(JSON.stringify(rows, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v))).not.toMatch(
      /zz|estimated/,
    );
    const root = await lake.run(ROOT, `SELECT * FROM ${name}`);
    expect(columns).toEqual(root.columns);
    expect((await lake.run(nil, `SELECT * FROM ${name}`)).rows).toEqual([]);
    // The type of a column does not depend on who asks.
    const types = `SELECT typeof(COLUMNS(*)) FROM ${name} LIMIT 1`;
    expect((await lake.run(ana, types)).rows).toEqual((await lake.run(ROOT, types)).rows);
  }
});

test('whoever is granted information_schema sees all of the tenant’s own catalogs', async () => {
  const inf = userWith('inf', 'RO *.information_schema.*');
  expect(await column(inf, 'SELECT table_name FROM information_schema.tables')).toEqual(
    ['Odd"Name', 'customer', 't', 'v', 'zzdenied', 'zzsecret', 'zzt', 'zzview'].sort(),
  );
});

test('own temporary objects are listed, to their session alone', async () => {
  const session = await lake.session(ana);
  await lake.run(ana, 'CREATE TEMP TABLE mine(a INT)', { session });
  const names = 'SELECT table_name FROM duckdb_tables()';
  expect((await lake.run(ana, names, { session })).rows).toContainEqual(['mine']);
  expect((await lake.run(ana, names)).rows).not.toContainEqual(['mine']);
});

test.each([
  'SELECT * FROM duckdb_tables',
  'SELECT * FROM main.duckdb_tables()',
  'SELECT * FROM system.main.duckdb_tables()',
  'SELECT * FROM system.information_schema.tables',
  'SELECT * FROM lake.information_schema.tables',
  'SELECT * FROM pg_catalog.pg_tables',
  'SELECT * FROM duckdb_indexes()',
  'SELECT * FROM duckdb_sequences()',
  "SELECT * FROM pragma_table_info('customer')",
  'CREATE TEMP VIEW peek AS FROM duckdb_tables()',
  'INSERT INTO pub.t SELECT 1 FROM duckdb_tables()',
  'SHOW DATABASES',
  'SHOW SCHEMAS',
  'SHOW TABLES FROM lake',
  'DESCRIBE SELECT 1',
  'SUMMARIZE SELECT 1',
  'DESCRIBE',
])('%s is refused', async (sql) => {
  expect((await lake.run(ana, sql)).code).toBe('access_denied');
});

test('a view over a listing that a superuser made lists nothing to others', async () => {
  await lake.run(ROOT, 'CREATE VIEW lake.pub.listed AS SELECT table_name FROM duckdb_tables()');
  await lake.run(ROOT, 'CREATE VIEW lake.pub.listed2 AS SELECT table_name FROM information_schema.tables');
  for (const name of ['listed', 'listed2']) {
    expect((await lake.run(ana, `SELECT * FROM lake.pub.${name}`)).code).toBe('access_denied');
  }
  await lake.run(ROOT, 'DROP VIEW lake.pub.listed');
  await lake.run(ROOT, 'DROP VIEW lake.pub.listed2');
});

describe('SHOW, DESCRIBE, SUMMARIZE and PRAGMA', () => {
  test('are answered in the columns of the engine', async () => {
    for (const [sql, own] of [
      ['SHOW TABLES', 'SHOW TABLES'],
      ['SHOW ALL TABLES', 'SHOW ALL TABLES'],
      ['DESCRIBE customer', 'DESCRIBE customer'],
      ['SUMMARIZE customer', 'SUMMARIZE customer'],
    ] as const) {
      const seen = await lake.run(ana, sql);
      expect(seen.code).toBe('ok');
      const engine = await lake.engine.connect();
      const columns = Object.keys((await engine.rows(`FROM (${own}) LIMIT 1`))[0] ?? {});
      engine.close();
      expect(seen.columns).toEqual(columns);
    }
  });

  test('list what is granted', async () => {
    expect(await column(ana, 'SHOW TABLES')).toEqual(['Odd"Name', 'customer', 'v']);
    expect((await lake.run(ana, 'SHOW ALL TABLES')).rows.map(([, , name]) => name).sort()).toEqual(GRANTED);
    expect((await lake.run(ana, 'DESCRIBE lake.main.CUSTOMER')).rows).toEqual([
      ['id', 'INTEGER', 'NO', null, null, null],
      ['name', 'VARCHAR', 'YES', null, null, null],
    ]);
    expect((await lake.run(ana, 'DESC v')).rows).toHaveLength(1);
    expect((await lake.run(ana, 'SHOW "Odd""Name"')).rows).toEqual([['x', 'INTEGER', 'YES', null, null, null]]);
    expect((await lake.run(ana, "PRAGMA table_info('customer')")).rows).toEqual([
      [0, 'id', 'INTEGER', true, null, null],
      [1, 'name', 'VARCHAR', false, null, null],
    ]);
  });

  test('SUMMARIZE is of what its reader sees', async () => {
    const where = { role: 'r', catalog: 'lake', schema: 'main', table: 'customer' };
    const set: EffectiveSet = {
      ...ana,
      columnPolicies: [{ ...where, column: 'name', action: 'mask', transformSql: "'*'" }],
      rowPolicies: [{ ...where, predicateSql: 'id > 5' }],
    };
    const counts = async (one: EffectiveSet) => {
      const { rows, columns } = await lake.run(one, 'SUMMARIZE customer');
      return rows.map((row) => [row[0], row[columns.indexOf('max')], row[columns.indexOf('count')]]);
    };
    expect(await counts(ana)).toEqual([
      ['id', '1', 1],
      ['name', 'Anna', 1],
    ]);
    expect(await counts(set)).toEqual([
      ['id', null, 0],
      ['name', null, 0],
    ]);
  });

  test('invariant 15: of what is hidden and of what is missing in the same words', async () => {
    for (const form of ['DESCRIBE X', 'SHOW X', 'SUMMARIZE X', 'DESCRIBE lake.main.X', "PRAGMA table_info('X')"]) {
      const [hidden, missing] = await Promise.all(
        ['zzsecret', 'zzsecrex'].map((name) => lake.run(ana, form.replace('X', name))),
      );
      expect(hidden?.code).toBe('access_denied');
      expect(missing?.message.replace('secrex', 'secret')).toBe(hidden?.message);
    }
    expect(await lake.run(userWith('all', 'RO lake.*.*'), 'DESCRIBE nosuch')).toMatchObject({ code: 'sql_error' });
  });

  test('a superuser is answered as well', async () => {
    expect((await lake.run(ROOT, 'SHOW TABLES')).rows.length).toBeGreaterThan(4);
    expect((await lake.run(ROOT, "PRAGMA table_info('zzsecret')")).rows).toHaveLength(1);
    expect((await lake.run(ROOT, 'SUMMARIZE customer')).rows).toHaveLength(2);
  });
});
