import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { quoteLiteral } from '@gadwall/rewriters';
import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

/** The file of DuckDB's extension: no npm package has it; see CONTRIBUTING.md. */
const extension = process.env.GADWALL_SQLITE_EXTENSION ?? '';
if (process.env.CI && extension === '') throw new Error('CI has the SQLite extension: .ci/extension.sh');

const SEED = `
  CREATE TABLE customer(id INT, name VARCHAR); INSERT INTO customer VALUES (1, 'Anna'), (2, 'Ben'); CREATE TABLE copy(id INT);
  CREATE VIEW far AS SELECT v FROM pgsrc.main.t; CREATE MACRO reach() AS TABLE SELECT v FROM pgsrc.main.hid`;

const fed = userWith('fed', 'RO pgsrc.main.t', 'RW lake.main.*', 'RO lake.main.*');
const wild = userWith('wild', 'ALL *.*.*');
const all = userWith('all', 'ALL pgsrc.*.*', 'ALL lake.*.*');

const sqlite = extension === '' ? describe.skip : describe;

sqlite('a federated SQLite file, whose scans no plan names', () => {
  let folder: string;
  let lake: TestPipeline;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gadwall-sqlite-'));
    const path = join(folder, 'far.sqlite');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`LOAD ${quoteLiteral(extension)}`);
    await connection.run(`ATTACH ${quoteLiteral(path)} AS w (TYPE sqlite)`);
    await connection.run(`CREATE TABLE w.t(id INT, v VARCHAR, "odd name" VARCHAR);
      INSERT INTO w.t VALUES (1, 'one', 'a'), (2, 'two', 'b');
      CREATE TABLE w.hid(v VARCHAR); INSERT INTO w.hid VALUES ('hidden');
      CREATE TABLE w."Odd ""Table"(v VARCHAR); INSERT INTO w."Odd ""Table" VALUES ('odd')`);
    instance.closeSync();
    lake = await startPipeline(SEED, {
      extensions: [extension],
      catalogs: [
        { name: 'lake', path: ':memory:', readOnly: false },
        { name: 'pgsrc', path, readOnly: true, type: 'sqlite' },
      ],
    });
  });
  afterAll(async () => {
    await lake.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['SELECT v FROM pgsrc.main.t ORDER BY id', [['one'], ['two']]],
    ['SELECT v FROM pgsrc.t WHERE id = 2', [['two']]],
    ['SELECT T.v FROM "PGSRC".main."T" WHERE id = 1', [['one']]],
    ["/* é */ SELECT 'é', x.v FROM /* ü */ pgsrc . main /* ; */ . t AS x WHERE id = 1", [['é', 'one']]],
    [
      'SELECT name, v FROM customer JOIN pgsrc.t USING (id) ORDER BY 1',
      [
        ['Anna', 'one'],
        ['Ben', 'two'],
      ],
    ],
    ['WITH a AS (SELECT * FROM pgsrc.t), t AS (SELECT 7 AS n) SELECT count(*), max(n) FROM a, t', [[2, 7]]],
    ['SELECT (SELECT max(v) FROM pgsrc.t), (SELECT count(*) FROM customer)', [['two', 2]]],
    ['SELECT v FROM pgsrc.t UNION ALL SELECT name FROM customer ORDER BY 1', [['Anna'], ['Ben'], ['one'], ['two']]],
    [
      'SELECT c.name, l.v FROM customer c, LATERAL (SELECT v FROM pgsrc.t f WHERE f.id = c.id) l ORDER BY 1',
      [
        ['Anna', 'one'],
        ['Ben', 'two'],
      ],
    ],
    ['FROM pgsrc.t SELECT "odd name" WHERE id > 1', [['b']]],
  ])('is read by whoever is granted it: %s', async (sql, rows) => {
    const { code, message, rows: seen } = await lake.run(userWith('fed', 'RO pgsrc.main.t', 'RO lake.*.*'), sql);
    expect({ code, message }).toEqual({ code: 'ok', message: '' });
    expect(seen).toEqual(rows);
  });

  test('a name with blanks and quotes is one', async () => {
    expect((await lake.run(all, 'SELECT v FROM pgsrc.main."Odd ""Table"')).rows).toEqual([['odd']]);
    expect((await lake.run(fed, 'SELECT v FROM pgsrc.main."Odd ""Table"')).code).toBe('access_denied');
  });

  const ROADS = [
    'SELECT * FROM pgsrc.X',
    'SELECT * FROM pgsrc.main.X',
    'SELECT * FROM pgsrc.t, pgsrc.X',
    'SELECT (SELECT max(v) FROM pgsrc.X) FROM pgsrc.t',
    'SELECT * FROM pgsrc.t WHERE v IN (SELECT v FROM pgsrc.X)',
    'WITH a AS (SELECT * FROM pgsrc.X) SELECT * FROM pgsrc.t',
    'WITH X AS (SELECT 1) SELECT * FROM pgsrc.X',
    'SELECT v FROM pgsrc.t UNION SELECT v FROM pgsrc.X',
    'SELECT l.v FROM pgsrc.t, LATERAL (SELECT v FROM pgsrc.X) l',
    "FROM query('SELECT * FROM pgsrc.X')",
    "FROM query_table('pgsrc.X')",
    'EXPLAIN SELECT * FROM pgsrc.X',
    'INSERT INTO copy SELECT 1 FROM pgsrc.X',
    'CREATE TEMP TABLE stolen AS SELECT * FROM pgsrc.X',
    'CREATE VIEW lake.main.peek AS SELECT * FROM pgsrc.X',
    "PIVOT pgsrc.X ON v IN ('hidden') USING count(*)",
    'SELECT * FROM pgsrc.X AS t',
    'SELECT t.v FROM pgsrc.X t JOIN pgsrc.t u ON true',
  ];

  test.each(ROADS)('nothing else of it is, and a hidden table is as a missing one: %s', async (sql) => {
    for (const set of [fed, wild]) {
      const hidden = await lake.run(set, sql.replaceAll(/\bX\b/g, 'hid'), { session: await lake.session(set) });
      const missing = await lake.run(set, sql.replaceAll(/\bX\b/g, 'hix'), { session: await lake.session(set) });
      expect(hidden.code).toBe('access_denied');
      expect(JSON.stringify(hidden)).not.toMatch(/hidden|stub/);
      expect(JSON.stringify(missing).replaceAll('hix', 'hid')).toBe(JSON.stringify(hidden));
    }
  });

  test.each([
    ['a view', 'SELECT * FROM far'],
    ['a macro', 'FROM reach()'],
    ['query()', "FROM query('SELECT v FROM pgsrc.t')"],
    ['a write', 'INSERT INTO copy SELECT id FROM pgsrc.t'],
    ['a table of its own making', 'CREATE TABLE lake.main.mine AS SELECT * FROM pgsrc.t'],
    ['the extension', "SELECT * FROM sqlite_scan('x', 't')"],
    ['the extension by another name', "SELECT * FROM sqlite_query('pgsrc', 'SELECT 1')"],
  ])('where no plan names the table nothing of it is read: %s', async (_, sql) => {
    for (const set of [all, fed]) expect((await lake.run(set, sql)).code).toBe('access_denied');
  });

  test('a search path into it makes no name mean another', async () => {
    const session = await lake.session(all);
    expect((await lake.run(all, "SET search_path = 'pgsrc.main,lake.main'", { session })).code).toBe('ok');
    expect((await lake.run(all, 'SELECT v FROM t', { session })).code).toBe('access_denied');
    expect((await lake.run(all, 'SELECT v FROM pgsrc.main.t WHERE id = 1', { session })).rows).toEqual([['one']]);
    expect((await lake.run(fed, 'SELECT v FROM hid', { session })).code).toBe('access_denied');
  });

  test('is changed by nobody', async () => {
    for (const sql of [
      'INSERT INTO pgsrc.t(id) VALUES (3)',
      'DROP TABLE pgsrc.t',
      'DELETE FROM pgsrc.main.t',
      'DETACH pgsrc',
    ]) {
      for (const set of [ROOT, all]) expect((await lake.run(set, sql)).code).toBe('access_denied');
    }
    expect((await lake.run(ROOT, 'SELECT count(*) FROM pgsrc.t')).rows).toEqual([[2]]);
  });

  test('a superuser reads it by any road', async () => {
    for (const sql of ['SELECT * FROM far', 'FROM reach()', 'SELECT v FROM pgsrc.hid']) {
      expect((await lake.run(ROOT, sql)).code).toBe('ok');
    }
  });

  test('a table of it that is under a policy is not read, for no plan shows that the policy is in force', async () => {
    const where = { role: 'r', catalog: 'pgsrc', schema: 'main', table: 't' };
    const masked = { ...where, column: 'v', action: 'mask' as const, transformSql: "'*'" };
    for (const set of [
      { ...all, columnPolicies: [masked] },
      { ...all, rowPolicies: [{ ...where, predicateSql: 'id = 1' }] },
    ]) {
      for (const sql of ['SELECT * FROM pgsrc.t', 'SELECT v FROM pgsrc.main.t JOIN customer USING (id)']) {
        expect((await lake.run(set, sql)).code).toBe('access_denied');
      }
      expect((await lake.run(set, 'SELECT count(*) FROM customer')).rows).toEqual([[2]]);
    }
  });

  test('what stands for it is nobody’s to name', async () => {
    const listed = await lake.run(
      ROOT,
      "SELECT database_name FROM duckdb_databases() WHERE database_name LIKE 'stub%'",
    );
    const stub = String(listed.rows[0]?.[0]);
    for (const set of [all, wild, fed]) {
      expect((await lake.run(set, `SELECT * FROM ${stub}.main.t`)).code).toBe('access_denied');
      expect((await lake.run(set, `CREATE SCHEMA IF NOT EXISTS lake.${stub}`)).code).toBe(
        set === fed ? 'access_denied' : 'ok',
      );
      expect((await lake.run(set, `SELECT * FROM ${stub}.t`)).code).toBe('access_denied');
    }
  });
});
