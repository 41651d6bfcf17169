import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

const SEED = `
  CREATE TABLE customer(id INT); INSERT INTO customer VALUES (1), (2); CREATE TABLE copy(id INT);
  CREATE SCHEMA pgsrc.public; CREATE TABLE pgsrc.public.t(id INT, v VARCHAR); INSERT INTO pgsrc.public.t VALUES (1, 'far');
  CREATE VIEW far AS SELECT v FROM pgsrc.public.t`;

const adm = userWith('adm', 'ALL *.*.*');
const fed = userWith('fed', 'RO PGSRC.public.*', 'RW lake.main.*');
const all = userWith('all', 'ALL pgsrc.*.*', 'ALL lake.*.*');

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(SEED, {
    catalogs: [
      { name: 'lake', path: ':memory:', readOnly: false },
      { name: 'pgsrc', path: ':memory:', readOnly: true },
    ],
  });
});
afterAll(() => lake.close());

const unchanged = async () => expect((await lake.run(ROOT, 'SELECT * FROM pgsrc.public.t')).rows).toEqual([[1, 'far']]);

describe('a federated catalog is read by who is granted it by its alias, and by no wildcard', () => {
  test('a wildcard does not reach it', async () => {
    for (const sql of ['SELECT * FROM pgsrc.public.t', 'SELECT * FROM far', 'SELECT * FROM customer, pgsrc.public.t']) {
      const { code, message } = await lake.run(adm, sql);
      expect({ sql, code }).toEqual({ sql, code: 'access_denied' });
      expect(message).toMatch(/lacks grants on (lake\.main\.far|pgsrc\.public\.t):read/);
    }
  });

  test('a grant of the alias does, in any spelling', async () => {
    for (const sql of ['SELECT v FROM pgsrc.public.t', 'SELECT v FROM PgSrc.PUBLIC.T', 'SELECT v FROM far']) {
      expect((await lake.run(fed, sql)).rows).toEqual([['far']]);
    }
    expect((await lake.run(fed, 'INSERT INTO copy SELECT id FROM pgsrc.public.t')).affected).toBe(1);
    expect((await lake.run(fed, 'SELECT count(*) FROM customer JOIN pgsrc.public.t USING (id)')).rows).toEqual([[1]]);
  });

  test('whoever is granted nothing there hears the same of what is there and what is not', async () => {
    const [hidden, missing] = [await lake.run(adm, 'FROM pgsrc.public.t'), await lake.run(adm, 'FROM pgsrc.public.x')];
    expect(hidden.message).toBe(missing.message.replace('public.x', 'public.t'));
  });
});

describe('nothing in it is changed, by superusers neither', () => {
  test.each([
    "INSERT INTO pgsrc.public.t VALUES (2, 'x')",
    "/* x */ INSERT INTO PGSRC.public.t VALUES (2, 'x')",
    'INSERT INTO pgsrc.public.t SELECT * FROM pgsrc.public.t',
    "UPDATE pgsrc.public.t SET v = 'x'",
    'DELETE FROM pgsrc.public.t',
    'TRUNCATE pgsrc.public.t',
    'MERGE INTO pgsrc.public.t USING lake.main.customer c ON t.id = c.id WHEN MATCHED THEN DELETE',
    'CREATE TABLE pgsrc.public.u(a INT)',
    'CREATE OR REPLACE TABLE pgsrc.public.t AS SELECT 1 AS id',
    'CREATE VIEW pgsrc.public.w AS SELECT 1 AS a',
    'CREATE SCHEMA pgsrc.s',
    'DROP TABLE pgsrc.public.t',
    'DROP SCHEMA pgsrc.public CASCADE',
    'ALTER TABLE pgsrc.public.t ADD COLUMN c INT',
    'ALTER TABLE pgsrc.public.t RENAME TO u',
    "COMMENT ON TABLE pgsrc.public.t IS 'x'",
    'CREATE INDEX i ON pgsrc.public.t(id)',
    'EXPLAIN ANALYZE DELETE FROM pgsrc.public.t',
    'WITH d AS (SELECT 1) DELETE FROM pgsrc.public.t',
    'PREPARE p AS DELETE FROM pgsrc.public.t',
    'DETACH pgsrc',
    "ATTACH ':memory:' AS pgsrc",
    "ATTACH OR REPLACE ':memory:' AS PGSRC",
  ])('%s', async (sql) => {
    for (const set of [ROOT, all]) {
      const refused = await lake.run(set, sql, { session: await lake.session(set) });
      expect({ code: refused.code, who: set.username }).toEqual({ code: 'access_denied', who: set.username });
    }
    await unchanged();
  });

  test('and it says so', async () => {
    expect(await lake.run(ROOT, 'DELETE FROM pgsrc.public.t')).toMatchObject({
      rule: 'catalog',
      message: 'catalog pgsrc is read-only: nothing in it can be changed',
    });
  });
});
