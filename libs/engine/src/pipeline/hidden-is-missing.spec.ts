import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';
import { EffectiveSet } from '@gadwall/rbac';
import { EngineTask } from './engine-task';

/**
 * Invariant 15, for every kind of statement and every place where a name can stand: a name that no grant covers is answered
 * alike whether there is an object of that name or not, whatever kind of object it is, and with as many calls of the engine.
 */
const LAKE = `
  CREATE TABLE customer(id INT, name VARCHAR); INSERT INTO customer VALUES (1, 'Anna'), (2, 'Ben');
  CREATE TABLE orders(id INT PRIMARY KEY, total INT DEFAULT 5); INSERT INTO orders VALUES (10, 7);
  CREATE SEQUENCE counter; CREATE TYPE size AS ENUM('s', 'm');
  CREATE TABLE vault(id INT PRIMARY KEY, v VARCHAR); INSERT INTO vault VALUES (1, 'hidden');
  CREATE INDEX indexed ON vault(v);
  CREATE VIEW viewed AS SELECT id, v FROM lake.main.vault;
  CREATE VIEW listed AS SELECT 1 AS id, 'constant' AS v;
  CREATE VIEW nested AS SELECT id, v FROM lake.main.viewed;
  CREATE VIEW tabled AS SELECT table_name AS v FROM information_schema.tables;
  CREATE SEQUENCE numbers; CREATE TYPE mood AS ENUM('good', 'bad');
  CREATE TABLE feeling(id INT, m mood);
  CREATE SCHEMA s1; CREATE TABLE s1.inside(id INT, v VARCHAR); CREATE TYPE s1.tone AS ENUM('low')`;

const STATEMENTS = [
  // Definitions.
  'ALTER TABLE orders ALTER total SET DEFAULT (SELECT max(id) FROM X)',
  'ALTER TABLE orders ADD COLUMN z INT DEFAULT (SELECT max(id) FROM X)',
  'CREATE TABLE z(a INT DEFAULT (SELECT max(id) FROM X))',
  'CREATE TABLE z(a INT CHECK (a < (SELECT max(id) FROM X)))',
  // Queries.
  'SELECT * FROM X',
  'SELECT nosuch FROM X',
  'SELECT x.* FROM customer, X AS x',
  'SELECT * FROM customer JOIN X USING (id)',
  'SELECT (SELECT max(id) FROM X)',
  'SELECT * FROM customer WHERE id IN (SELECT id FROM X)',
  'SELECT * FROM customer WHERE EXISTS (FROM X)',
  'FROM X',
  'TABLE X',
  '(SELECT * FROM X)',
  'SELECT 1 UNION ALL SELECT id FROM X',
  'WITH a AS (SELECT * FROM X) SELECT 1',
  'WITH RECURSIVE a AS (SELECT id FROM X UNION ALL SELECT id FROM a WHERE false) SELECT * FROM a',
  'SELECT * FROM (DESCRIBE X)',
  'SELECT * FROM (SUMMARIZE X)',
  'SELECT * FROM (PIVOT X ON v IN (1) USING count(*))',
  'UNPIVOT X ON id INTO NAME n VALUE v',
  'PIVOT X ON v USING count(*)',
  "FROM query('SELECT * FROM X')",
  "FROM query_table('X')",
  'EXPLAIN SELECT * FROM X',
  'EXPLAIN ANALYZE SELECT * FROM X',
  // Types in queries.
  'SELECT NULL::X',
  'SELECT enum_range(NULL::X)',
  "SELECT CAST('good' AS X)",
  "SELECT TRY_CAST('good' AS X[])",
  'SELECT NULL::STRUCT(a X)',
  'SELECT NULL::MAP(INT, X)',
  // Writes.
  'INSERT INTO X VALUES (1)',
  'INSERT INTO X (id) SELECT id FROM customer',
  'INSERT OR REPLACE INTO X VALUES (1)',
  'INSERT INTO X DEFAULT VALUES',
  'INSERT INTO X SELECT * FROM X',
  'INSERT INTO orders SELECT id, 1 FROM X',
  'INSERT INTO orders(id) FROM X SELECT id',
  'INSERT INTO orders (SELECT id, 1 FROM X)',
  'INSERT INTO orders TABLE X',
  'INSERT INTO orders FROM (UNPIVOT X ON id INTO NAME n VALUE v)',
  'INSERT INTO orders SELECT a.id, 1 FROM customer a JOIN customer b ON a.id = b.id, X',
  'INSERT INTO orders FROM customer c, (FROM X) SELECT c.id, 1',
  'INSERT INTO orders WITH a AS (SELECT 1), b AS (FROM X) SELECT 1, 1',
  'INSERT INTO orders SELECT id, (SELECT count(*) FROM X) FROM customer',
  'INSERT INTO orders VALUES ((SELECT max(id) FROM X), 1)',
  'INSERT INTO orders VALUES (1, 1) ON CONFLICT DO UPDATE SET total = (SELECT max(id) FROM X)',
  'INSERT INTO orders SELECT 1, len(enum_range(NULL::X))',
  "INSERT INTO orders SELECT 1, 1 WHERE CAST('good' AS X) IS NULL",
  'INSERT INTO orders SELECT 1, 1 FROM (SELECT NULL::STRUCT(a X[]))',
  "INSERT INTO orders SELECT 1, 1 WHERE X 'good' IS NULL",
  'WITH a AS (SELECT 1) INSERT INTO X SELECT * FROM a',
  'WITH a AS (FROM X) INSERT INTO orders SELECT 1, 1',
  'WITH insert AS (SELECT * FROM X) INSERT INTO orders SELECT 1, 1',
  'UPDATE X SET v = 1',
  'UPDATE X SET v = 1 WHERE id = 1',
  'UPDATE X AS x SET v = x.v RETURNING *',
  'UPDATE orders SET total = (SELECT max(id) FROM X)',
  'UPDATE orders SET total = 1 FROM customer, X',
  'UPDATE orders SET total = 1 FROM customer JOIN X ON true',
  'UPDATE orders SET total = 1 WHERE id IN (FROM X SELECT id)',
  "UPDATE orders SET total = 1 WHERE 'good'::X IS NULL",
  'WITH a AS (SELECT 1) UPDATE X SET v = 1',
  'WITH a AS (SELECT 1), b AS (FROM X) UPDATE orders SET total = 1',
  'DELETE FROM X',
  'DELETE FROM X WHERE id = 1 RETURNING v',
  'DELETE FROM orders USING X',
  'DELETE FROM orders USING customer, X WHERE true',
  'DELETE FROM orders USING customer JOIN X USING (id)',
  'DELETE FROM orders USING (SELECT * FROM X) x',
  'DELETE FROM orders WHERE id = (SELECT max(id) FROM X)',
  'WITH a AS (SELECT 1) DELETE FROM X',
  'WITH a AS (SELECT 1) DELETE FROM orders USING X',
  'TRUNCATE X',
  'TRUNCATE TABLE X',
  'MERGE INTO X USING customer ON true WHEN MATCHED THEN DELETE',
  'MERGE INTO X USING customer ON true WHEN MATCHED THEN UPDATE SET v = 1',
  'MERGE INTO X AS x USING customer c ON x.id = c.id WHEN NOT MATCHED THEN INSERT (id) VALUES (c.id)',
  'MERGE INTO X USING customer ON true WHEN MATCHED THEN DO NOTHING',
  'MERGE INTO orders USING X ON true WHEN MATCHED THEN DELETE',
  'MERGE INTO orders USING (FROM X) x ON true WHEN MATCHED THEN DELETE',
  'MERGE INTO orders USING customer ON orders.id = (SELECT max(id) FROM X) WHEN MATCHED THEN DELETE',
  'WITH a AS (SELECT 1) MERGE INTO X USING customer ON true WHEN MATCHED THEN DELETE',
  'EXPLAIN INSERT INTO X VALUES (1)',
  'EXPLAIN ANALYZE DELETE FROM X',
  'EXPLAIN UPDATE orders SET total = (SELECT max(id) FROM X)',
  "COPY X TO 'x.csv'",
  "COPY X (id) TO 'x.csv'",
  "COPY X FROM 'x.csv'",
  "COPY (SELECT * FROM X) TO 'x.csv'",
  // Definitions.
  'CREATE TABLE X(a INT)',
  'CREATE TABLE IF NOT EXISTS X(a INT)',
  'CREATE OR REPLACE TABLE X(a INT)',
  'CREATE TABLE X AS SELECT 1 AS a',
  'CREATE TEMP TABLE z AS SELECT * FROM X',
  'CREATE TEMP TABLE z AS FROM customer, X',
  'CREATE TEMP TABLE z AS TABLE X',
  'CREATE TEMP TABLE z AS WITH a AS (FROM X) SELECT 1 AS a',
  'CREATE TEMP TABLE z(a INT REFERENCES X(id))',
  'CREATE TEMP TABLE z(a INT, FOREIGN KEY (a) REFERENCES X(id))',
  'CREATE TEMP TABLE z(a X)',
  'CREATE TEMP TABLE z(a INT, b X[])',
  'CREATE TEMP TABLE z(a STRUCT(b X))',
  'CREATE TEMP TABLE z(a INT, b VARCHAR AS (NULL::X))',
  "CREATE TEMP TABLE z(a VARCHAR DEFAULT ('good'::X))",
  "CREATE TEMP TABLE z(a VARCHAR CHECK (CAST(a AS X) = 'good'))",
  'CREATE TEMP TABLE z AS SELECT enum_range(NULL::X) AS a',
  'CREATE TEMP VIEW z AS SELECT * FROM X',
  'CREATE TEMP VIEW z AS WITH a AS (FROM X) SELECT 1',
  'CREATE VIEW X AS SELECT 1',
  'CREATE OR REPLACE VIEW X AS SELECT 1',
  'CREATE SEQUENCE X',
  'CREATE SEQUENCE IF NOT EXISTS X START 5',
  'CREATE TYPE X AS INT',
  "CREATE TYPE X AS ENUM ('a')",
  'CREATE INDEX i ON X(v)',
  'CREATE UNIQUE INDEX IF NOT EXISTS i ON X(id)',
  'DROP TABLE X',
  'DROP TABLE IF EXISTS X',
  'DROP TABLE X CASCADE',
  'DROP VIEW X',
  'DROP VIEW IF EXISTS X',
  'DROP SEQUENCE X',
  'DROP SEQUENCE IF EXISTS X',
  'DROP TYPE X',
  'DROP TYPE IF EXISTS X',
  'DROP INDEX X',
  'DROP INDEX IF EXISTS X',
  'ALTER TABLE X ADD COLUMN z INT',
  'ALTER TABLE IF EXISTS X ADD COLUMN z INT',
  'ALTER TABLE X DROP COLUMN v',
  'ALTER TABLE X RENAME v TO w',
  'ALTER TABLE X RENAME TO z',
  'ALTER TABLE X ALTER v TYPE INT',
  'ALTER TABLE X ALTER v SET DEFAULT 1',
  'ALTER TABLE X ALTER v SET NOT NULL',
  'ALTER TABLE X ADD PRIMARY KEY (id)',
  'ALTER TABLE orders ADD COLUMN z X',
  'ALTER TABLE orders ALTER total TYPE X',
  'ALTER TABLE orders ALTER total SET DATA TYPE VARCHAR USING total::X',
  'ALTER VIEW X RENAME TO z',
  'ALTER SEQUENCE X OWNED BY orders',
  'ALTER SEQUENCE counter OWNED BY X',
  "COMMENT ON TABLE X IS 'c'",
  "COMMENT ON VIEW X IS 'c'",
  "COMMENT ON COLUMN X.v IS 'c'",
  "COMMENT ON COLUMN X.nosuch IS 'c'",
  "COMMENT ON SEQUENCE X IS 'c'",
  "COMMENT ON TYPE X IS 'c'",
  "COMMENT ON INDEX X IS 'c'",
  // What is said of a session, and what lists.
  'SET VARIABLE a = (SELECT max(id) FROM X)',
  'SET VARIABLE a = enum_range(NULL::X)',
  'CALL range((SELECT max(id) FROM X))',
  'DESCRIBE X',
  'DESCRIBE SELECT * FROM X',
  'SHOW X',
  'SUMMARIZE X',
  'SUMMARIZE SELECT * FROM X',
  "PRAGMA table_info('X')",
  'VACUUM X',
  'ANALYZE X',
];

/** Only a name without a schema, or with one, can stand there. */
const SCHEMAS = ['CREATE SCHEMA X', 'DROP SCHEMA X', 'DROP SCHEMA IF EXISTS X CASCADE', 'CREATE TYPE X.t AS INT'];
const WITH_SCHEMA = [
  'SELECT * FROM X.inside',
  'CREATE TABLE X.t(a INT)',
  'CREATE VIEW X.t AS SELECT 1',
  'CREATE SEQUENCE X.t',
  'DROP INDEX X.i',
  'DROP TABLE X.t',
  'CREATE TEMP TABLE z AS FROM X.inside',
];

const nil = userWith('nil');
const own = [
  'ALL lake.main.orders',
  'RO lake.main.customer',
  'ALL lake.main.counter',
  'RO lake.main.size',
  'ALL lake.main.z',
];
const some = userWith('some', ...own);

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(LAKE);
  // What every session asks for once is asked for before anything is counted.
  await lake.run(nil, 'SELECT 1 FROM nosuch');
});
afterAll(() => lake.close());

/** The answer, and the calls of the engine that it took. `X` stands for the name in all of its spellings. */
async function answer(set: EffectiveSet, statement: string, name: string) {
  const calls = jest.spyOn(EngineTask.prototype, 'call');
  const outcome = await lake.run(set, statement.replaceAll(/\bX\b/g, name));
  const count = calls.mock.calls.length;
  calls.mockRestore();
  const bare = (name.split('.').pop() ?? '').replaceAll('"', '');
  const text = (value: unknown) => JSON.stringify(value)?.replaceAll(bare, 'X');
  return {
    ...{ statement, code: outcome.code, rule: outcome.rule, calls: count },
    ...{ message: text(outcome.message), objects: text(outcome.objects) },
  };
}

/** A name that no object has, as long and in the same place of an order. */
function missing(name: string): string {
  return name.replace(/[a-z1](?="?$)/i, (last) => (last === last.toUpperCase() && last !== '1' ? 'X' : 'x'));
}

/** Objects of each kind, as they are written; each of the two principals has some of them tried. */
describe.each([
  ['one who is granted nothing', nil, 'vault VAULT viewed listed mood numbers indexed s1.inside lake.main.vault'],
  ['one who is granted other objects', some, 'feeling "vault" nested tabled mood s1.tone numbers main.viewed'],
])('%s is answered alike for a hidden name and for none', (_, set, names) => {
  test.each(STATEMENTS)('%s', async (statement) => {
    for (const name of names.split(' ')) {
      const hidden = await answer(set, statement, name);
      expect(hidden).toEqual(await answer(set, statement, missing(name)));
      expect(hidden.code).toBe('access_denied');
    }
  });

  test.each([...SCHEMAS, ...WITH_SCHEMA])('%s', async (statement) => {
    const hidden = await answer(set, statement, 's1');
    expect(hidden).toEqual(await answer(set, statement, 'sx'));
    expect(hidden.code).toBe('access_denied');
  });
});

test('nothing of all that has happened', async () => {
  const { rows } = await lake.run(ROOT, 'SELECT count(*) FROM duckdb_tables() WHERE NOT temporary AND NOT internal');
  expect(rows).toEqual([[5]]);
});

test('B-205: a column that is not there says nothing of the table', async () => {
  const [hidden, none] = [
    await lake.run(nil, 'SELECT nosuch FROM s1.inside'),
    await lake.run(nil, 'SELECT nosuch FROM s1.absent'),
  ];
  expect(hidden).toMatchObject({ code: 'access_denied', message: 'user:nil lacks grants on lake.s1.inside:read' });
  expect(none.message).toBe(hidden.message.replace('inside', 'absent'));
});

describe('a statement that is prepared', () => {
  test.each(STATEMENTS.filter((statement) => /^(SELECT|FROM|TABLE|WITH|INSERT|UPDATE|DELETE|MERGE)/.test(statement)))(
    'PREPARE p AS %s',
    async (statement) => {
      const session = await lake.session(some);
      const prepared = async (name: string) =>
        (await lake.run(some, `PREPARE p AS ${statement.replaceAll(/\bX\b/g, name)}`, { session })).message;
      const hidden = await prepared('vault');
      expect(hidden).not.toBe('');
      expect(hidden.replaceAll('vault', 'X')).toBe((await prepared('vaulx')).replaceAll('vaulx', 'X'));
      session.end();
    },
  );
});

describe('a search path over schemas that are hidden', () => {
  test('does not tell what is in them', async () => {
    const set = userWith('main', 'ALL lake.main.*');
    const session = await lake.session(set);
    expect((await lake.run(set, "SET search_path = 'lake.main,lake.s1'", { session })).code).toBe('ok');
    for (const [hidden, none] of [
      ['SELECT * FROM inside', 'SELECT * FROM insidx'],
      ["SELECT 'low'::tone", "SELECT 'low'::tonx"],
      ['INSERT INTO orders SELECT id, 1 FROM inside', 'INSERT INTO orders SELECT id, 1 FROM insidx'],
      ['DROP TABLE inside', 'DROP TABLE insidx'],
    ] as const) {
      const [a, b] = [await lake.run(set, hidden, { session }), await lake.run(set, none, { session })];
      expect(a.code).toBe('access_denied');
      expect(a.message).toContain('lake.s1.');
      expect({ ...a, message: a.message.replaceAll(/inside|tone/g, 'X'), objects: [] }).toEqual({
        ...b,
        message: b.message.replaceAll(/insidx|tonx/g, 'X'),
        objects: [],
      });
    }
    expect((await lake.run(set, 'SELECT * FROM orders', { session })).code).toBe('ok');
  });
});
