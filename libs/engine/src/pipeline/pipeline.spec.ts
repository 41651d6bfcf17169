import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';
import { EffectiveSet } from '@gadwall/rbac';

const LAKE = `
  CREATE TABLE customer(id INT, name VARCHAR); INSERT INTO customer VALUES (1, 'Anna'), (2, 'Ben');
  CREATE TABLE orders(id INT PRIMARY KEY, customer_id INT, total INT DEFAULT 5); INSERT INTO orders VALUES (10, 1, 7);
  CREATE TABLE secret(id INT, v VARCHAR); INSERT INTO secret VALUES (1, 'hidden');
  CREATE TABLE note(v VARCHAR); CREATE SCHEMA s1; CREATE TABLE s1.t(a INT); CREATE SEQUENCE seq;
  CREATE TABLE numbered(id INT DEFAULT nextval('seq'), name VARCHAR);
  CREATE SEQUENCE s1.numbers; CREATE TABLE numbered_elsewhere(id INT DEFAULT nextval('s1.numbers'), name VARCHAR);
  CREATE TYPE mood AS ENUM('good', 'bad');
  CREATE TABLE a_mood(m mood); CREATE VIEW v_const AS SELECT 'hidden constant' AS v;
  CREATE VIEW v_const_two AS SELECT v FROM lake.main.v_const, lake.main.customer;
  CREATE VIEW v_range AS SELECT range AS v FROM range(3); CREATE VIEW v_seq AS SELECT nextval('seq') AS n FROM lake.main.customer;
  CREATE VIEW v_customer AS SELECT id FROM lake.main.customer;
  CREATE VIEW v_secret AS SELECT id, v FROM lake.main.secret;
  CREATE VIEW v_two AS SELECT * FROM lake.main.v_secret`;

const ana = userWith('ana', 'RO lake.main.customer', 'RO lake.main.orders');
const eva = userWith(
  'eva',
  'RW lake.main.orders',
  'RO lake.main.customer',
  'RW lake.main.numbered',
  'RW lake.main.numbered_elsewhere',
  'RW lake.main.note',
);
const dba = userWith('dba', 'DDL lake.main.*');
const adm = userWith('adm', 'ALL *.*.*');
const typ = userWith('typ', 'RO lake.main.mood', 'RO lake.main.v_const');
const nil = userWith('nil');

const PRINCIPALS: Record<string, EffectiveSet> = { ana, eva, dba, adm, typ, nil, root: ROOT };

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(LAKE);
});
afterAll(() => lake.close());

describe('invariant 1: what cannot be described is refused, to ALL on everything and to superusers too', () => {
  test.each(['PIVOT customer ON name USING count(*)', "SELECT * FROM read_csv('x.csv')"])('%s', async (sql) => {
    expect((await lake.run(adm, sql)).code).toBe('access_denied');
  });
  test('a dynamic PIVOT of a superuser', async () => {
    const { code, rule } = await lake.run(ROOT, 'PIVOT customer ON name USING count(*)');
    expect({ code, rule }).toEqual({ code: 'access_denied', rule: 'not-described' });
  });
  test("a superuser's PRAGMA never reaches the engine, which it would end", async () => {
    expect((await lake.run(ROOT, "PRAGMA x(nextval('seq'))")).code).toBe('access_denied');
    expect((await lake.run(ROOT, "SELECT json_serialize_plan('PRAGMA x(nextval(''nosuch''))')")).code).not.toBe('ok');
    expect((await lake.run(ana, 'SELECT 1')).rows).toEqual([[1]]);
  });
});

test.each(['DETACH lake', 'DETACH DATABASE IF EXISTS "LAKE";', 'EXPLAIN ANALYZE DETACH lake', 'DETACH/**/lake'])(
  'a superuser cannot take from a pool what it declares: %s',
  async (sql) => {
    // The engine keeps what is a session's default; this one has gone elsewhere.
    const session = await lake.session(ROOT);
    expect((await lake.run(ROOT, 'USE memory', { session })).code).toBe('ok');
    expect((await lake.run(ROOT, sql, { session })).code).toBe('access_denied');
    expect((await lake.run(ana, 'SELECT count(*) FROM lake.main.customer')).code).toBe('ok');
  },
);

test('a superuser detaches what he attached', async () => {
  expect((await lake.run(ROOT, "ATTACH ':memory:' AS beside")).code).toBe('ok');
  expect((await lake.run(ana, 'SELECT * FROM beside.main.t')).code).toBe('access_denied');
  expect((await lake.run(ROOT, 'DETACH beside')).code).toBe('ok');
});

describe('invariant 2: description, verdict and run see one snapshot', () => {
  test('a table replaced while its statement is judged is not what runs', async () => {
    // The definition of the view changes over and over between one that ana may read and one that she may not.
    let changing = true;
    const writer = (async () => {
      for (let i = 0; changing; i++) {
        const body =
          i % 2 === 0 ? 'SELECT id, v FROM lake.main.secret' : "SELECT id, 'open' AS v FROM lake.main.customer";
        await lake.run(ROOT, `CREATE OR REPLACE VIEW lake.main.flip AS ${body}`);
      }
    })();
    const seen = new Set<string>();
    for (let i = 0; i < 300; i++) {
      const { code, rows } = await lake.run(ana, 'SELECT v FROM flip');
      seen.add(code);
      for (const [value] of rows) expect(value).toBe('open');
    }
    changing = false;
    await writer;
    expect([...seen]).toEqual(expect.arrayContaining(['ok', 'access_denied']));
  }, 60_000);

  test('DDL of an open transaction is judged as the session sees it', async () => {
    const session = await lake.session(adm);
    const run = (sql: string) => lake.run(adm, sql, { session });
    await run('BEGIN');
    expect((await run('CREATE TABLE lake.main.mine(a INT)')).code).toBe('ok');
    expect((await run('INSERT INTO mine VALUES (1)')).affected).toBe(1);
    expect((await run('SELECT * FROM mine')).rows).toEqual([[1]]);
    expect((await lake.run(adm, 'SELECT * FROM mine')).code).toBe('sql_error');
    await run('ROLLBACK');
    expect((await run('SELECT * FROM mine')).code).toBe('sql_error');
  });
});

describe('invariant 3: nothing of a tenant user reaches the binder before the screen', () => {
  test('table-function arguments and sequences do not run when they are refused', async () => {
    for (const sql of ["SELECT * FROM range(nextval('seq'))", "INSERT INTO orders SELECT nextval('seq'), 1, 1"]) {
      expect((await lake.run(adm, sql)).code).toBe('access_denied');
    }
    const { rows } = await lake.run(ROOT, `SELECT last_value FROM duckdb_sequences() WHERE sequence_name = 'seq'`);
    expect(rows).toEqual([[null]]);
  });

  test('no file is looked for: the refusal is the same whether it is there or not', async () => {
    const [there, missing] = await Promise.all([
      lake.run(adm, "SELECT * FROM '/etc/hostname'"),
      lake.run(adm, "SELECT * FROM '/etc/nosuch.csv'"),
    ]);
    expect(there.code).toBe('access_denied');
    expect(missing.code).toBe('access_denied');
  });
});

describe('verdicts', () => {
  test.each([
    ['ana', 'SELECT * FROM customer JOIN orders ON customer.id = customer_id', 'ok', ''],
    ['ana', 'SELECT 1 WHERE EXISTS (SELECT 1 FROM secret)', 'access_denied', 'lake.main.secret:read'],
    ['ana', 'SELECT * FROM v_customer', 'ok', ''],
    ['ana', 'SELECT * FROM v_secret', 'access_denied', 'lake.main.v_secret:read'],
    ['ana', 'SELECT * FROM v_two', 'access_denied', 'lake.main.v_two:read'],
    ['eva', 'INSERT INTO orders(id, customer_id) SELECT 100 + id, id FROM customer', 'ok', ''],
    ['eva', 'INSERT INTO orders SELECT id, id, 1 FROM secret', 'access_denied', 'lake.main.secret:read'],
    ['eva', "INSERT INTO numbered(name) VALUES ('x')", 'ok', ''],
    ['eva', 'UPDATE orders SET total = 1 WHERE id = 10', 'ok', ''],
    ['eva', 'DROP TABLE orders', 'access_denied', 'lake.main.orders:drop'],
    ['ana', 'DELETE FROM customer', 'access_denied', 'lake.main.customer:delete'],
    ['dba', 'SELECT * FROM customer', 'access_denied', 'lake.main.customer:read'],
    ['dba', 'CREATE TABLE t9 AS SELECT * FROM customer', 'access_denied', 'lake.main.customer:read'],
    ['dba', 'ALTER TABLE orders ADD COLUMN z INT DEFAULT 1', 'access_denied', 'lake.main.orders:update'],
    ['dba', 'ALTER TABLE orders RENAME TO s1', 'access_denied', 'lake.main.orders:read'],
    ['dba', 'ALTER VIEW v_customer RENAME TO v9', 'access_denied', 'lake.main.v_customer:read'],
    ['dba', 'ALTER TABLE orders RENAME total TO sum', 'ok', ''],
    ['dba', 'ALTER TABLE orders RENAME sum TO total', 'ok', ''],
    ['dba', 'CREATE SCHEMA lake.s2', 'access_denied', 'lake.s2.*:create'],
    ['dba', 'DROP SCHEMA s1 CASCADE', 'access_denied', 'lake.s1.*:drop'],
    ['dba', 'DROP TABLE IF EXISTS s1.nosuch', 'access_denied', 'lake.s1.nosuch:drop'],
    ['dba', 'CREATE TABLE lake.s1.x(a INT)', 'access_denied', 'lake.s1.x:create'],
    ['dba', 'CREATE VIEW v9 AS SELECT * FROM secret', 'access_denied', 'lake.main.secret:read'],
    ['ana', 'EXPLAIN SELECT * FROM secret', 'access_denied', 'lake.main.secret:read'],
    ['ana', 'EXPLAIN SELECT * FROM customer', 'ok', ''],
    ['ana', "SELECT 'good'::mood", 'access_denied', 'lake.main.mood:read'],
    ['ana', 'SELECT * FROM memory.information_schema.tables', 'access_denied', ''],
    ['adm', "ATTACH ':memory:' AS m", 'access_denied', 'statement uses ATTACH'],
    ['adm', 'SET threads = 1', 'access_denied', 'setting threads'],
    ['adm', 'SELECT nosuchfn(1)', 'access_denied', 'function nosuchfn is not classified'],
    ['adm', 'SELECT * FROM duckdb_indexes()', 'access_denied', 'duckdb_indexes()'],
    ['nil', 'SELECT 1', 'ok', ''],
    // A view over no table is read by a grant on itself.
    ['ana', 'SELECT * FROM v_const', 'access_denied', 'lake.main.v_const:read'],
    ['ana', 'SELECT * FROM v_range', 'access_denied', 'lake.main.v_range:read'],
    ['ana', 'SELECT * FROM v_const_two', 'access_denied', 'lake.main.v_const_two:read'],
    ['typ', 'SELECT * FROM v_const', 'ok', ''],
    // Types of users.
    ['typ', "SELECT 'good'::mood, NULL::mood[]", 'ok', ''],
    ['typ', 'CREATE TEMP TABLE moods AS SELECT enum_range(NULL::mood) AS m', 'ok', ''],
    ['typ', 'CREATE TEMP TABLE moods(m mood, n STRUCT(a mood), d DECIMAL(4, 1), PRIMARY KEY (m))', 'ok', ''],
    ['typ', `SELECT from_json('["good"]', '["mood"]')`, 'ok', ''],
    ['eva', 'CREATE TEMP TABLE moods AS SELECT enum_range(NULL::mood) AS m', 'access_denied', 'lake.main.mood:read'],
    ['eva', 'SET VARIABLE m = enum_range(NULL::mood)', 'access_denied', 'lake.main.mood:read'],
    ['eva', 'INSERT INTO note SELECT enum_range(NULL::mood)', 'access_denied', 'lake.main.mood:read'],
    ['eva', "INSERT INTO note SELECT mood 'good'", 'access_denied', 'lake.main.mood:read'],
    ['eva', `SELECT from_json('["good"]', '["mood"]')`, 'access_denied', 'lake.main.mood:read'],
    ['eva', `SELECT from_json('1', '{"a": "INT", "a": "STRUCT(b mood)"}')`, 'access_denied', 'lake.main.mood:read'],
    ['eva', `SELECT from_json('["good"]', '["moox"]')`, 'access_denied', 'lake.main.moox:read'],
    ['eva', `FROM query('SELECT from_json(''["good"]'', ''["mood"]'')')`, 'access_denied', 'lake.main.mood:read'],
    ['eva', `SELECT from_json('["good"]', concat('["mo', 'od"]'))`, 'access_denied', 'by a text that is not a literal'],
    ['eva', `SELECT from_json('{"a": 1}', '{"a": "INT"}')`, 'ok', ''],
    [
      'eva',
      "SELECT '1'::INT, NULL::VARCHAR[], DATE '2020-01-01', NULL::STRUCT(a INT, b TIMESTAMP WITH TIME ZONE)",
      'ok',
      '',
    ],
    // A common table expression hides a table of its name only where it is in scope.
    [
      'ana',
      'WITH RECURSIVE secret AS (SELECT id FROM secret UNION ALL SELECT id FROM secret WHERE false) FROM secret',
      'access_denied',
      'lake.main.secret:read',
    ],
    ['ana', 'WITH secret AS (FROM secret) FROM secret', 'access_denied', 'lake.main.secret:read'],
    [
      'ana',
      'WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < 3) SELECT max(a) FROM n',
      'ok',
      '',
    ],
    ['ana', 'WITH customer AS (SELECT id FROM customer) SELECT * FROM customer', 'ok', ''],
    [
      'eva',
      'INSERT INTO orders SELECT id, 1, 1 FROM (WITH secret AS (SELECT 1) SELECT 1) x, secret',
      'access_denied',
      'lake.main.secret:read',
    ],
    [
      'eva',
      'WITH RECURSIVE secret AS (SELECT id FROM secret UNION ALL SELECT 1) INSERT INTO orders SELECT id, 1, 1 FROM secret',
      'access_denied',
      'lake.main.secret:read',
    ],
    [
      'eva',
      'INSERT INTO note SELECT (SELECT n FROM v_seq) FROM (WITH v_seq AS (SELECT 1 AS n) FROM v_seq)',
      'access_denied',
      'nextval',
    ],
    ['eva', 'INSERT INTO numbered(name) SELECT n FROM v_seq', 'access_denied', 'nextval'],
    ['eva', "INSERT INTO numbered VALUES (DEFAULT, 'y')", 'ok', ''],
    ['eva', "INSERT INTO numbered_elsewhere(name) VALUES ('x')", 'access_denied', 'lake.s1.numbers:update'],
    ['eva', "INSERT INTO numbered_elsewhere VALUES (DEFAULT, 'y')", 'access_denied', 'lake.s1.numbers:update'],
    ['eva', 'UPDATE numbered_elsewhere SET id = DEFAULT', 'access_denied', 'lake.s1.numbers:update'],
    [
      'eva',
      'INSERT INTO orders WITH RECURSIVE n AS (SELECT 800 AS a UNION ALL SELECT a + 1 FROM n WHERE a < 802) SELECT a, 1, 1 FROM n',
      'ok',
      '',
    ],
    [
      'eva',
      'WITH a AS (SELECT 1 AS id), b AS (SELECT id FROM a) UPDATE orders SET total = 2 FROM b WHERE orders.id = b.id',
      'ok',
      '',
    ],
    ['eva', 'WITH update AS (SELECT 1) SELECT * FROM update', 'ok', ''],
    ['root', "SET disabled_optimizers = 'filter_pushdown'", 'access_denied', 'cannot be changed'],
  ])('%s: %s', async (who, sql, code, message) => {
    const outcome = await lake.run(PRINCIPALS[who] as EffectiveSet, sql);
    expect({ code: outcome.code, message: outcome.message }).toEqual({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  test.each([
    ['ALTER TABLE customer ALTER name TYPE INT', ['read', 'update']],
    ['ALTER TABLE customer ALTER name SET DATA TYPE INT USING length(name)', ['read', 'update']],
    ['ALTER TABLE customer ALTER id TYPE VARCHAR USING name', ['read', 'update']],
    ['ALTER TABLE customer ALTER name SET NOT NULL', ['read']],
    ['ALTER TABLE customer ADD PRIMARY KEY (id)', ['read']],
    ['CREATE UNIQUE INDEX one ON customer(name)', ['read']],
    ['CREATE INDEX one ON customer(name)', ['read']],
    ['ALTER TABLE customer RENAME TO mine', ['read']],
  ])('DDL alone does not read rows by an error or under another name: %s', async (sql, accesses) => {
    const { code, message } = await lake.run(dba, sql);
    const lacking = accesses.map((access) => `lake.main.customer:${access}`).join(', ');
    expect({ code, message }).toEqual({
      code: 'access_denied',
      message: `user:dba lacks grants on ${lacking}`,
    });
  });

  test('one who reads and changes a table as well does all of that', async () => {
    const owner = userWith('owner', 'ALL lake.main.*');
    for (const sql of [
      'CREATE TABLE mine(id INT, name VARCHAR)',
      'ALTER TABLE mine ALTER id TYPE VARCHAR USING name',
      'ALTER TABLE mine ALTER name SET NOT NULL',
      'CREATE UNIQUE INDEX one ON mine(name)',
      'DROP INDEX one',
      'ALTER TABLE mine RENAME TO ours',
      'DROP TABLE ours',
    ]) {
      expect({ sql, ...(await lake.run(owner, sql)) }).toMatchObject({ sql, code: 'ok' });
    }
  });

  test.each([
    ['ALTER TABLE secret RENAME TO plain', 'RO'],
    ['DROP SCHEMA lake.main CASCADE', 'ALL'],
    ['DROP INDEX on_secret', 'DDL'],
  ] as const)('a deny on a table holds against DDL that takes it along: %s', async (sql, verb) => {
    await lake.run(ROOT, 'CREATE INDEX IF NOT EXISTS on_secret ON secret(id)');
    const deny = { effect: 'deny', catalog: '*', schema: 'main', table: 'secret', verb } as const;
    const { code, rule } = await lake.run({ ...adm, permissions: [...adm.permissions, deny] }, sql);
    expect({ code, rule }).toEqual({ code: 'access_denied', rule: 'deny' });
    expect((await lake.run(ROOT, 'SELECT count(*) FROM secret')).rows).toEqual([[1]]);
  });

  test('a deny wins over any allow', async () => {
    const deny = { effect: 'deny', catalog: '*', schema: '*', table: 'secret', verb: 'RO' } as const;
    const set = { ...adm, permissions: [...adm.permissions, deny] };
    const { code, rule } = await lake.run(set, 'SELECT * FROM secret');
    expect({ code, rule }).toEqual({ code: 'access_denied', rule: 'deny' });
  });

  test('a deny on the table that is written to is told by its name, whatever views are read beside it', async () => {
    const set = userWith('w', 'RW lake.main.orders', 'RO lake.main.customer');
    const deny = { effect: 'deny', catalog: 'lake', schema: 'main', table: 'orders', verb: 'RO' } as const;
    const refused = await lake.run(
      { ...set, permissions: [...set.permissions, deny] },
      'DELETE FROM orders AS o USING (SELECT id FROM v_customer) AS q WHERE q.id = o.id',
    );
    expect(refused).toMatchObject({ code: 'access_denied', message: 'user:w is denied lake.main.orders:read' });
  });
});

test('invariant 14: a name confers nothing', async () => {
  const set = userWith('superuser', 'RO lake.main.customer');
  expect((await lake.run(set, 'SELECT * FROM secret')).code).toBe('access_denied');
  expect((await lake.run({ ...set, username: 'root' }, 'SELECT * FROM secret')).code).toBe('access_denied');
});

describe('invariant 15: hidden is missing', () => {
  test.each([
    ['SELECT * FROM secret', 'SELECT * FROM secrex'],
    ['SELECT nosuch FROM secret', 'SELECT nosuch FROM secrex'],
    ['SELECT * FROM s1.t', 'SELECT * FROM s1.x'],
    ['SELECT * FROM v_secret', 'SELECT * FROM v_secrex'],
    ['DELETE FROM secret', 'DELETE FROM secrex'],
    ['UPDATE secret SET v = 1', 'UPDATE secrex SET v = 1'],
    ['INSERT INTO secret VALUES (1)', 'INSERT INTO secrex VALUES (1)'],
    ['DROP TABLE secret', 'DROP TABLE secrex'],
    ['DROP TABLE IF EXISTS secret', 'DROP TABLE IF EXISTS secrex'],
    ['ALTER TABLE secret ADD COLUMN z INT', 'ALTER TABLE secrex ADD COLUMN z INT'],
    ['DESCRIBE secret', 'DESCRIBE secrex'],
    ['SUMMARIZE secret', 'SUMMARIZE secrex'],
    ["PRAGMA table_info('secret')", "PRAGMA table_info('secrex')"],
    ['WITH a AS (SELECT * FROM secret) SELECT 1', 'WITH a AS (SELECT * FROM secrex) SELECT 1'],
    ["FROM query('FROM secret')", "FROM query('FROM secrex')"],
    ["FROM query_table('secret')", "FROM query_table('secrex')"],
    ['EXPLAIN SELECT * FROM secret', 'EXPLAIN SELECT * FROM secrex'],
    ['INSERT INTO orders SELECT id, 1, 1 FROM secret', 'INSERT INTO orders SELECT id, 1, 1 FROM secrex'],
    ['CREATE VIEW v8 AS FROM secret', 'CREATE VIEW v8 AS FROM secrex'],
  ])('%s is refused as %s is', async (hidden, missing) => {
    const [a, b] = [await lake.run(ana, hidden), await lake.run(ana, missing)];
    expect(a.code).toBe('access_denied');
    const named = (text: string) => text.replaceAll(/v_secret|v_secrex|secret|secrex|s1\.[tx]/g, 'X');
    expect(named(b.message)).toBe(named(a.message));
  });

  test('one whose grant covers the name hears from the engine, without suggestions', async () => {
    const { code, message } = await lake.run(adm, 'SELECT * FROM custome');
    expect(code).toBe('sql_error');
    expect(message).toContain('custome does not exist');
    expect(message).not.toContain('customer');
  });
});

test('what the engine says of foreign keys names no table of others, and no value', async () => {
  await lake.run(ROOT, 'CREATE TABLE par(k INT PRIMARY KEY)');
  await lake.run(ROOT, 'CREATE TABLE hidden_child(hidden_col INT REFERENCES par(k))');
  await lake.run(ROOT, 'INSERT INTO lake.main.par VALUES (7)');
  await lake.run(ROOT, 'INSERT INTO lake.main.hidden_child VALUES (7)');
  const owner = userWith('owner', 'RW lake.main.par', 'DDL lake.main.par');
  for (const sql of ['DROP TABLE par', 'DELETE FROM par', 'UPDATE par SET k = 8', 'TRUNCATE par']) {
    const { code, message } = await lake.run(owner, sql);
    expect({ sql, code }).toEqual({ sql, code: 'sql_error' });
    expect(message).toBe('a foreign key does not let this happen');
  }
  await lake.run(ROOT, 'DROP TABLE lake.main.hidden_child');
  await lake.run(ROOT, 'DROP TABLE lake.main.par');
});

describe('the verdict cache', () => {
  test('gives the same answer, follows the set and follows DDL', async () => {
    const sql = 'SELECT count(*) FROM customer';
    expect((await lake.run(ana, sql)).rows).toEqual([[2]]);
    expect((await lake.run(ana, sql)).rows).toEqual([[2]]);
    expect((await lake.run(userWith('ana'), sql)).code).toBe('access_denied');
    await lake.run(ROOT, 'CREATE SCHEMA lake.other');
    await lake.run(ROOT, 'CREATE TABLE lake.other.customer(id INT)');
    expect((await lake.run(ana, sql)).rows).toEqual([[2]]);
    // A macro of a user stands before the engine's function in whatever was judged before.
    await lake.run(ROOT, 'CREATE MACRO lake.main.count(x) AS (SELECT max(v) FROM lake.main.secret)');
    expect((await lake.run(ana, 'SELECT count(id) FROM customer')).message).toBe('function count is not classified');
    await lake.run(ROOT, 'DROP MACRO lake.main.count');
    expect((await lake.run(ana, 'SELECT count(id) FROM customer')).rows).toEqual([[2]]);
  });

  test('an operator that a user made is not the engine’s', async () => {
    const sql = "SELECT id FROM customer WHERE name LIKE 'Anna'";
    expect((await lake.run(ana, sql)).rows).toEqual([[1]]);
    await lake.run(ROOT, 'CREATE MACRO lake.main."~~"(a, b) AS true');
    expect((await lake.run(ana, sql)).code).toBe('access_denied');
    await lake.run(ROOT, 'DROP MACRO lake.main."~~"');
  });

  test('a session with temporary objects does not use what was judged for others', async () => {
    const session = await lake.session(ana);
    expect((await lake.run(ana, 'SELECT id FROM customer WHERE id = 1')).rows).toEqual([[1]]);
    await lake.run(ana, 'CREATE TEMP TABLE customer AS SELECT 99 AS id', { session });
    expect((await lake.run(ana, 'SELECT id FROM customer WHERE id = 99', { session })).rows).toEqual([[99]]);
    expect((await lake.run(ana, 'SELECT id FROM customer WHERE id = 99')).rows).toEqual([]);
  });
});

describe('a reader that does not take all rows', () => {
  const half = async (session: Awaited<ReturnType<TestPipeline['session']>> | null) => {
    const running = await lake.pipeline.start({
      userId: 'ana',
      set: ana,
      digest: 'half',
      poolId: 'pool',
      sql: 'SELECT a.id FROM customer a, customer b, range(100000)',
      parameters: [],
      session,
      timeLimit: 10_000,
      maxConcurrent: 10,
      assertCurrent: () => undefined,
      renew: () => Promise.reject(new Error('nothing was overtaken')),
    });
    expect((await running.next())?.rowCount).toBeGreaterThan(0);
    await running.close();
  };

  test('leaves a session as it was', async () => {
    const session = await lake.session(ana);
    await half(session);
    expect((await lake.run(ana, 'SELECT count(*) FROM customer', { session })).rows).toEqual([[2]]);
    await lake.run(ana, 'BEGIN', { session });
    await half(session);
    expect((await lake.run(ana, 'SELECT count(*) FROM customer', { session })).rows).toEqual([[2]]);
    expect((await lake.run(ana, 'COMMIT', { session })).code).toBe('ok');
  });

  test('leaves no connection that others would trip over', async () => {
    for (let i = 0; i < 5; i++) await half(null);
    for (let i = 0; i < 5; i++)
      expect((await lake.run(ana, `SELECT ${i} + count(*) FROM customer`)).rows).toEqual([[2 + i]]);
  });
});

describe('EXPLAIN holds only what the node keeps account of', () => {
  const inner = [
    'COMMIT',
    'ROLLBACK',
    'BEGIN',
    "SET search_path = 's1'",
    'USE lake.s1',
    'CREATE TABLE lake.main.e(a INT)',
  ];
  test.each(inner)('%s', async (statement) => {
    for (const set of [dba, ROOT]) {
      const session = await lake.session(set);
      await lake.run(set, 'BEGIN', { session });
      for (const explain of ['EXPLAIN', 'EXPLAIN ANALYZE', 'EXPLAIN (ANALYZE)']) {
        expect((await lake.run(set, `${explain} ${statement}`, { session })).code).not.toBe('ok');
      }
      expect((await lake.run(set, 'ROLLBACK', { session })).code).toBe('ok');
    }
  });
});
