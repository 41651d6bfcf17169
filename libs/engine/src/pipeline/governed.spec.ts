import { EffectiveSet } from '@gadwall/rbac';
import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

/**
 * What a principal under policies gets is what a superuser gets of a copy that holds the admitted rows and the masked values
 * alone: the same statement on the same names, in a schema of its own.
 */
const COPIES = `
  CREATE SCHEMA raw; CREATE SCHEMA twin;
  CREATE TABLE raw.orders(id INT PRIMARY KEY, region VARCHAR, amount INT, email VARCHAR, s STRUCT(ssn VARCHAR, k INT));
  INSERT INTO raw.orders VALUES (1, 'eu', -771010, 'zz-hidden@x', {'ssn': 'h1', 'k': 1}), (2, 'us', 20, 'zoe@x', {'ssn': 'r2', 'k': 2}),
    (3, 'us', 30, 'zed@x', {'ssn': 'r3', 'k': 3}), (5, 'eu', 771011, 'zz-hidden5@x', NULL), (6, 'us', 30, NULL, NULL);
  CREATE TABLE twin.orders(id INT PRIMARY KEY, region VARCHAR, amount INT, email VARCHAR, s STRUCT(ssn VARCHAR, k INT));
  INSERT INTO twin.orders SELECT id, region, amount, left(email, 1) || '***', NULL FROM raw.orders WHERE region = 'us';
  CREATE TABLE raw.lines(order_id INT, q INT); INSERT INTO raw.lines VALUES (1, 100), (2, 7), (2, 8), (3, 9), (9, 1);
  CREATE TABLE twin.lines AS FROM raw.lines;
  CREATE VIEW raw.v AS SELECT id, email, amount FROM lake.raw.orders; CREATE VIEW twin.v AS SELECT id, email, amount FROM lake.twin.orders;
  CREATE VIEW raw.w(a, b) AS SELECT id, email FROM lake.raw.v WHERE id < 6; CREATE VIEW twin.w(a, b) AS SELECT id, email FROM lake.twin.v WHERE id < 6;
  CREATE VIEW raw.sub AS SELECT id, (SELECT max(email) FROM lake.raw.orders) FROM lake.raw.lines l, lake.raw.orders o WHERE l.order_id = o.id;
  CREATE VIEW twin.sub AS SELECT id, (SELECT max(email) FROM lake.twin.orders) FROM lake.twin.lines l, lake.twin.orders o WHERE l.order_id = o.id;
  CREATE VIEW raw.wide AS SELECT raw.lines.q, raw.orders.email FROM lake.raw.lines JOIN lake.raw.orders ON raw.orders.id = raw.lines.order_id;
  CREATE VIEW twin.wide AS SELECT twin.lines.q, twin.orders.email FROM lake.twin.lines JOIN lake.twin.orders ON twin.orders.id = twin.lines.order_id;
  CREATE TABLE raw.kept(id INT, t VARCHAR); CREATE TABLE twin.kept(id INT, t VARCHAR)`;

const of = { role: 'reader', catalog: 'lake', schema: 'raw', table: 'orders' };
const alice: EffectiveSet = {
  ...userWith('alice', 'RO lake.raw.*', 'RW lake.raw.kept'),
  columnPolicies: [
    { ...of, column: 'email', action: 'mask', transformSql: "left(email, 1) || '***'" },
    { ...of, column: 's', action: 'mask', transformSql: 'NULL' },
  ],
  rowPolicies: [{ ...of, predicateSql: "region = 'us'" }],
};

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(COPIES);
});
afterAll(() => lake.close());

/** The same statement of a superuser over the copy: rows in any order, names and the error as well. */
async function sameAsCopy(sql: string): Promise<void> {
  const seen = await lake.run(alice, sql.replaceAll('@', 'raw'));
  const copy = await lake.run(ROOT, sql.replaceAll('@', 'twin'));
  const sorted = (rows: unknown[][]) => rows.map((row) => text(row)).sort();
  expect({ code: seen.code, message: seen.message.replaceAll('raw', 'twin') }).toEqual({
    code: copy.code,
    message: '',
  });
  expect(sorted(seen.rows)).toEqual(sorted(copy.rows));
  expect(seen.columns).toEqual(copy.columns.map((name) => name.replaceAll('twin', 'raw')));
}

const text = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one));

test.each([
  'SELECT * FROM @.orders',
  'FROM @.orders',
  'TABLE @.orders',
  'TABLE lake.@.orders ORDER BY id LIMIT 1',
  '(TABLE @.orders) UNION ALL FROM @.orders',
  'SELECT count(*) FROM @.orders',
  'SELECT o FROM @.orders o',
  'SELECT orders FROM lake.@.orders',
  'SELECT lake.@.orders.email, @.orders.id FROM lake.@.orders',
  'SELECT @.orders.s.k, orders.s.ssn FROM @.orders',
  "SELECT email AS e FROM @.orders WHERE e LIKE 'z%'",
  'SELECT #4, #1 FROM @.orders',
  'SELECT COLUMNS(*) FROM @.orders',
  "SELECT COLUMNS('e.*') FROM @.orders",
  'SELECT * EXCLUDE (s) REPLACE (upper(email) AS region) RENAME (amount AS a) FROM @.orders',
  'SELECT a.id, b.email FROM @.orders a JOIN @.orders b USING (id)',
  'SELECT * FROM @.orders NATURAL JOIN @.v',
  'SELECT * FROM @.lines l LEFT JOIN @.orders o ON l.order_id = o.id',
  'SELECT * FROM @.orders o ASOF JOIN @.lines l ON o.id >= l.order_id',
  'SELECT * FROM @.orders o POSITIONAL JOIN @.lines l',
  'SELECT * FROM @.lines l, LATERAL (SELECT email, l.q FROM @.orders o WHERE o.id = l.order_id) x',
  'SELECT q, (SELECT email FROM @.orders o WHERE o.id = l.order_id) FROM @.lines l',
  'SELECT (SELECT max(email) FROM @.orders), (SELECT min(email) FROM @.orders) AS low',
  'SELECT * FROM (SELECT (SELECT max(email) FROM @.orders) || 1, 2)',
  'SELECT DISTINCT ON (amount) (SELECT count(*) FROM @.orders i WHERE i.amount = o.amount) FROM @.orders o',
  'SELECT q FROM @.lines l WHERE EXISTS (FROM @.orders o WHERE o.id = l.order_id AND o.amount > (SELECT avg(p.amount) FROM @.orders p WHERE p.id <= l.q))',
  'SELECT id FROM @.orders o WHERE id IN (SELECT order_id FROM @.lines l WHERE l.q > (SELECT min(amount) - 15 FROM @.orders i WHERE i.id = o.id))',
  'WITH a AS (SELECT * FROM @.orders), orders AS (SELECT 1 AS n) SELECT a.email, n FROM a, orders',
  'WITH a AS MATERIALIZED (SELECT * FROM @.orders WHERE amount + 1 > 0) SELECT * FROM a x JOIN a y USING (id) WHERE x.amount + y.amount > 40',
  'WITH RECURSIVE r AS (SELECT id, 1 AS d FROM @.orders UNION ALL SELECT id, d + 1 FROM r WHERE d < 3 AND id IN (SELECT id FROM @.orders)) SELECT * FROM r',
  'SELECT email, count(*) FROM @.orders GROUP BY ALL ORDER BY ALL',
  'SELECT region, email, sum(amount) FROM @.orders GROUP BY GROUPING SETS ((region), (email), ())',
  'SELECT region, count(*) FROM @.orders GROUP BY ROLLUP (region) HAVING count(*) > 0',
  'SELECT id, sum(amount) OVER (PARTITION BY email ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM @.orders QUALIFY row_number() OVER (ORDER BY email, id) < 3',
  'SELECT list(email ORDER BY id) FILTER (amount > 20) FROM @.orders',
  'SELECT [x.email FOR x IN list(o)] FROM @.orders o',
  "SELECT * FROM (PIVOT @.orders ON region IN ('us', 'eu') USING count(*) GROUP BY email)",
  'SELECT * FROM (UNPIVOT (SELECT id, email, region FROM @.orders) ON email, region INTO NAME n VALUE v)',
  'UNPIVOT @.orders ON email, region INTO NAME n VALUE v',
  'SELECT * FROM @.v',
  'SELECT v.email FROM @.v WHERE v.id = 3',
  'SELECT * FROM @.w',
  'SELECT x.b FROM @.w AS x(p, b)',
  'SELECT * FROM @.sub',
  'SELECT * FROM @.wide',
  "SELECT * FROM query('SELECT id, email FROM @.orders')",
  "SELECT q.email FROM query('FROM @.v WHERE id > 2') AS q JOIN @.orders o ON o.id = q.id",
  "SELECT * FROM query('SELECT * FROM query(''SELECT b FROM @.w'')')",
  "SELECT * FROM query_table('@.orders')",
  'WITH unused AS (FROM @.orders) SELECT 1 AS one',
  'SELECT * FROM @.w JOIN @.v ON a = id JOIN @.orders o ON o.id = a',
  'SELECT id FROM @.orders WHERE chr(amount) IS NOT NULL',
  'SELECT count(*) FROM @.orders WHERE sqrt(amount) > 0',
  'SELECT id FROM (SELECT id, amount * 10000 AS big FROM @.orders) WHERE big > 0',
  'SELECT o.id FROM @.orders o JOIN @.lines l ON sqrt(o.amount) < l.q',
  'SELECT amount::UTINYINT FROM @.orders',
  "SELECT id FROM @.orders WHERE s.ssn = 'r2' OR email = 'zoe@x'",
  'SELECT id FROM @.orders TABLESAMPLE 100%',
  'SELECT * FROM @.orders AS t(a, b, c, d, e) WHERE a > 2',
  'SELECT x: email FROM o: @.orders',
  "SELECT id, CASE WHEN email LIKE 'z%' THEN 1 ELSE 0 END FROM @.orders ORDER BY email, 1",
  'VALUES ((SELECT max(email) FROM @.orders))',
  'SELECT unnest(s) FROM @.orders',
  'SELECT to_json(o) FROM @.orders o',
  'SELECT columns.email FROM @.orders AS columns',
])('%s', (sql) => sameAsCopy(sql));

describe('what is written', () => {
  const eve: EffectiveSet = {
    ...alice,
    ...userWith('eve', 'RW lake.raw.*'),
    columnPolicies: alice.columnPolicies,
    rowPolicies: alice.rowPolicies,
  };
  const stored = async () =>
    (await lake.run(ROOT, 'SELECT id, region, amount, email FROM raw.orders ORDER BY id')).rows;
  const attempt = async (sql: string) => {
    const session = await lake.session(eve);
    await lake.run(eve, 'BEGIN', { session });
    const outcome = await lake.run(eve, sql, { session });
    const state = await lake.run(ROOT, 'SELECT 1');
    return { outcome, state, session };
  };
  /** Rows after the statement, in a transaction that is rolled back. */
  const after = async (sql: string) => {
    const { outcome, session } = await attempt(sql);
    const counts = await lake.run(eve, 'SELECT count(*), sum(amount) FROM raw.orders', { session });
    await lake.run(eve, 'ROLLBACK', { session });
    return { code: outcome.code, message: outcome.message, affected: outcome.affected, rows: counts.rows[0] };
  };

  test('UPDATE and DELETE touch admitted rows alone', async () => {
    expect(await after('UPDATE raw.orders SET amount = 1')).toMatchObject({ code: 'ok', affected: 3, rows: [3, 3] });
    expect(await after('UPDATE raw.orders o SET amount = 1 WHERE o.id < 3')).toMatchObject({ affected: 1 });
    expect(
      await after('UPDATE raw.orders SET amount = q FROM raw.lines l WHERE l.order_id = id AND q > 8'),
    ).toMatchObject({
      affected: 1,
      rows: [3, 59],
    });
    expect(await after('DELETE FROM raw.orders')).toMatchObject({ code: 'ok', affected: 3 });
    expect(await after('DELETE FROM raw.orders WHERE id = 1')).toMatchObject({ code: 'ok', affected: 0 });
    expect(await after('DELETE FROM raw.orders AS o USING raw.lines l WHERE l.order_id = o.id')).toMatchObject({
      affected: 2,
    });
    expect(
      await after('DELETE FROM raw.orders WHERE id IN (SELECT order_id FROM raw.lines WHERE q > 8)'),
    ).toMatchObject({ code: 'ok', affected: 1 });
    expect(await after('WITH a AS (SELECT 2 AS x) DELETE FROM raw.orders USING a WHERE id = x')).toMatchObject({
      affected: 1,
    });
    expect(await after('DELETE FROM raw.orders WHERE sqrt(amount) > 5')).toMatchObject({ code: 'ok', affected: 2 });
  });

  test('a row that the policy does not admit is not written, and nothing else of the statement is', async () => {
    const before = await stored();
    for (const sql of [
      "INSERT INTO raw.orders(id, region) VALUES (9, 'eu')",
      "INSERT INTO raw.orders(id, region) VALUES (8, 'us'), (9, 'eu')",
      'INSERT INTO raw.orders(id) VALUES (9)',
      'INSERT INTO raw.orders DEFAULT VALUES',
      'INSERT INTO raw.orders BY NAME SELECT 11 AS id',
      "INSERT INTO raw.orders(id, region) SELECT q + 20, 'eu' FROM raw.lines",
      "UPDATE raw.orders SET region = 'eu' WHERE id = 2",
      'UPDATE raw.orders SET region = NULL',
    ]) {
      const { code, message } = await lake.run(eve, sql);
      expect({ sql, code, message }).toMatchObject({ sql, code: expect.stringMatching('access_denied|sql_error') });
      if (!sql.includes('DEFAULT')) expect(message).toBe('row policy violated on lake.raw.orders');
    }
    expect(await stored()).toEqual(before);
    expect(await after("INSERT INTO raw.orders(id, region, amount) VALUES (9, 'us', 5)")).toMatchObject({
      code: 'ok',
      affected: 1,
      rows: [4, 85],
    });
  });

  test.each([
    ['UPDATE raw.orders SET region = email WHERE id = 3', 'masked column'],
    ["UPDATE raw.orders SET amount = amount + 1 WHERE email LIKE 'z%'", 'masked column'],
    ['UPDATE raw.orders SET amount = length(email)', 'masked column'],
    ["UPDATE raw.orders SET amount = (SELECT max(q) FROM raw.lines WHERE email = 'zoe@x')", 'masked column'],
    ["DELETE FROM raw.orders WHERE s.ssn = 'r2'", 'masked column'],
    ['UPDATE raw.orders SET amount = rowid', 'column'],
    ['DELETE FROM raw.orders WHERE rowid = 1', 'column'],
    ['UPDATE raw.orders SET amount = 1 RETURNING email', 'RETURNING'],
    ['DELETE FROM raw.orders RETURNING *', 'RETURNING'],
    ["INSERT INTO raw.orders(id, region) VALUES (9, 'us') RETURNING *", 'RETURNING'],
    ['TRUNCATE raw.orders', 'TRUNCATE'],
    ["INSERT INTO raw.orders(id, region) VALUES (1, 'us') ON CONFLICT DO NOTHING", ''],
    ["INSERT OR REPLACE INTO raw.orders(id, region) VALUES (1, 'us')", ''],
    ['MERGE INTO raw.orders o USING (SELECT 3 AS id) s ON o.id = s.id WHEN MATCHED THEN DELETE', 'MERGE'],
    ['ALTER TABLE raw.orders RENAME COLUMN email TO note', ''],
    ['CREATE OR REPLACE TABLE raw.orders AS SELECT 1 AS id', 'replace'],
    ['CREATE UNIQUE INDEX ux ON raw.orders(region)', ''],
    ['CREATE TABLE raw.fk(i INT REFERENCES raw.orders(id))', ''],
  ])('%s is refused', async (sql, why) => {
    const before = await stored();
    const all = { ...eve, ...{ permissions: userWith('eve', 'ALL lake.*.*').permissions } };
    const { code, message } = await lake.run(all, sql);
    expect({ code, message }).toMatchObject({ code: 'access_denied', message: expect.stringContaining(why) });
    expect(await stored()).toEqual(before);
  });

  test('invariant 5: what is copied elsewhere is what its reader sees', async () => {
    await lake.run(eve, 'INSERT INTO raw.kept SELECT id, email FROM raw.orders');
    const all = { ...eve, permissions: userWith('eve', 'ALL lake.*.*').permissions };
    await lake.run(
      all,
      'CREATE TABLE raw.made AS SELECT id, email, (SELECT max(email) FROM raw.orders) FROM raw.orders',
    );
    await lake.run(
      eve,
      'MERGE INTO raw.kept k USING raw.orders o ON k.id = o.id + 100 WHEN NOT MATCHED THEN INSERT VALUES (o.id + 100, o.email)',
    );
    expect((await lake.run(ROOT, 'SELECT id, t FROM raw.kept ORDER BY id')).rows).toEqual([
      [2, 'z***'],
      [3, 'z***'],
      [6, null],
      [102, 'z***'],
      [103, 'z***'],
      [106, null],
    ]);
    const made = await lake.run(ROOT, 'FROM raw.made');
    expect(made.columns).toEqual(['id', 'email', '(SELECT max(email) FROM "raw".orders)'.replaceAll('"', '')]);
    expect(made.rows.map(([, email]) => email)).toEqual(['z***', 'z***', null]);
    const definition = await lake.run(ROOT, "SELECT sql FROM duckdb_tables() WHERE table_name = 'made'");
    expect(JSON.stringify(definition.rows)).not.toMatch(/:[rm]|REPLACE/);
  });
});

test('a policy on all tables does not keep one from being made', async () => {
  const set: EffectiveSet = {
    ...userWith('mae', 'ALL lake.raw.*'),
    rowPolicies: [{ ...of, table: '*', predicateSql: 'id = 3' }],
  };
  const session = await lake.session(set);
  await lake.run(set, 'BEGIN', { session });
  const made = 'CREATE TABLE raw.fresh AS SELECT id, amount FROM raw.orders';
  expect(await lake.run(set, made, { session })).toMatchObject({ code: 'ok' });
  expect((await lake.run(set, 'SELECT id FROM raw.fresh', { session })).rows).toEqual([[3]]);
  expect((await lake.run(set, 'CREATE TABLE raw.empty(id INT, t VARCHAR)', { session })).code).toBe('ok');
  const insert = "INSERT INTO raw.empty VALUES (3, 'c')";
  expect((await lake.run(set, insert, { session })).affected).toBe(1);
  expect((await lake.run(set, 'DROP TABLE raw.empty', { session })).code).toBe('access_denied');
  await lake.run(set, 'ROLLBACK', { session });
});

test('EXPLAIN shows operators and tables alone, and of what runs', async () => {
  const sql = 'EXPLAIN SELECT email FROM raw.orders o JOIN raw.lines l ON o.id = l.order_id WHERE o.amount > 20';
  const { rows, columns } = await lake.run(alice, sql);
  expect(columns).toEqual(['explain_key', 'explain_value']);
  const [[, plan]] = rows as [[string, string]];
  expect(plan.split('\n').map((line) => line.trim())).toEqual([
    'PROJECTION',
    'FILTER',
    'COMPARISON_JOIN',
    'PROJECTION',
    'FILTER',
    'SCAN lake.raw.orders',
    'SCAN lake.raw.lines',
  ]);
  expect((await lake.run(alice, 'EXPLAIN ANALYZE SELECT count(*) FROM raw.orders')).code).toBe('access_denied');
  const write = await lake.run(
    { ...alice, permissions: userWith('a', 'RW lake.raw.*').permissions },
    'EXPLAIN DELETE FROM raw.orders',
  );
  expect(write.rows).toEqual([['logical_plan', 'DELETE\n  FILTER\n    SCAN lake.raw.orders']]);
});

test('a transaction is committed under the policies that its writes were governed by', async () => {
  const set: EffectiveSet = { ...alice, permissions: userWith('alice', 'RW lake.raw.*').permissions };
  const session = await lake.session(set);
  await lake.run(set, 'BEGIN', { session });
  expect((await lake.run(set, 'UPDATE raw.orders SET amount = 31 WHERE id = 3', { session })).affected).toBe(1);
  const stricter: EffectiveSet = { ...set, rowPolicies: [{ ...of, predicateSql: "region = 'asia'" }] };
  expect(await lake.run(stricter, 'COMMIT', { session })).toMatchObject({
    code: 'transaction_aborted',
    message: expect.stringContaining('the policies on lake.raw.orders have changed'),
  });
  expect((await lake.run(ROOT, 'SELECT amount FROM raw.orders WHERE id = 3')).rows).toEqual([[30]]);
  expect((await lake.run(stricter, 'ROLLBACK', { session })).code).toBe('ok');
});

describe('what is not shown', () => {
  test.each(['SELECT rowid FROM raw.orders', 'SELECT id FROM raw.orders WHERE rowid = 2'])('%s', async (sql) => {
    expect((await lake.run(alice, sql)).code).toBe('access_denied');
  });

  test('an error tells the kind of what went wrong, and no value', async () => {
    const { message } = await lake.run(alice, 'SELECT email::INT FROM raw.orders');
    expect(message).toContain('Conversion Error');
    expect(message).not.toContain('z***');
  });

  test('invariant 7: a denied column is refused wherever it is read, and stands in no star', async () => {
    const set: EffectiveSet = {
      ...alice,
      columnPolicies: [{ ...of, column: 'email', action: 'deny', transformSql: null }],
      rowPolicies: [],
    };
    for (const sql of [
      'SELECT * FROM raw.orders',
      'SELECT o FROM raw.orders o',
      "SELECT id FROM raw.orders WHERE email = ''",
      'SELECT b FROM raw.w',
      // A view that names it reads it, whatever is asked of the view.
      'SELECT a FROM raw.w',
      "SELECT COLUMNS('em.*') FROM raw.orders",
      'SELECT id FROM raw.orders NATURAL JOIN raw.v',
    ]) {
      expect(await lake.run(set, sql)).toMatchObject({
        code: 'access_denied',
        rule: 'column-policy',
        message: expect.stringContaining('denied column email of lake.raw.orders'),
      });
    }
    expect((await lake.run(set, 'SELECT * EXCLUDE (email) FROM raw.orders')).rows).toHaveLength(5);
    expect((await lake.run(set, 'SELECT count(*) FROM raw.orders')).rows).toEqual([[5]]);
  });

  test('a policy that no longer binds shows nothing', async () => {
    const set: EffectiveSet = { ...alice, rowPolicies: [{ ...of, predicateSql: "gone = 'us'" }] };
    expect(await lake.run(set, 'SELECT id FROM raw.orders')).toMatchObject({
      code: 'access_denied',
      rule: 'row-policy',
    });
    // Nor does the engine's own word on a text that is none show it.
    const unread: EffectiveSet = { ...alice, rowPolicies: [{ ...of, predicateSql: "region = at('zz-policy'" }] };
    const { code, message } = await lake.run(unread, 'SELECT id FROM raw.orders');
    expect({ code, shown: /zz-policy|at\(/.test(message) }).toEqual({ code: 'access_denied', shown: false });
    const column = { ...of, column: 'gone', action: 'mask' as const, transformSql: 'NULL' };
    expect((await lake.run({ ...alice, columnPolicies: [column] }, 'SELECT id FROM raw.orders')).code).toBe(
      'access_denied',
    );
    // Not even where a column of that name stands around it.
    expect(
      (await lake.run(set, "SELECT x.id FROM (SELECT 'us' AS gone) g, LATERAL (SELECT id FROM raw.orders) x")).code,
    ).toBe('access_denied');
  });

  test('statistics of a table with its hidden rows decide nothing', async () => {
    const ask = async (sql: string) => (await lake.run(alice, sql)).code;
    // Were the greatest amount, hidden, known to the optimizer, one of these would be folded, and the other one fail.
    const bound = (n: number) => `SELECT ((amount * 2000000000) % 7 = 5) OR (amount <= ${n}) AS c FROM raw.orders`;
    expect(await ask(bound(771_010))).toBe(await ask(bound(771_011)));
    const wide = (column: string) => `SELECT (id * ${column} * 2000000000) IS NOT NULL AS c FROM raw.orders`;
    expect(await ask(wide('amount'))).toBe('sql_error');
  });

  test('a session decides nothing of a policy by its time zone', async () => {
    await lake.run(ROOT, "CREATE TABLE raw.timed AS SELECT 1 AS id, TIMESTAMPTZ '2026-01-01 23:30:00+00' AS moment");
    const timed = { ...of, table: 'timed', predicateSql: "date_part('day', moment) = 2" };
    const set: EffectiveSet = { ...alice, rowPolicies: [timed] };
    const session = await lake.session(set);
    expect((await lake.run(set, 'SELECT id FROM raw.timed', { session })).code).toBe('ok');
    await lake.run(set, "SET TimeZone = 'Asia/Tokyo'", { session });
    expect(await lake.run(set, 'SELECT id FROM raw.timed', { session })).toMatchObject({
      code: 'access_denied',
      message: expect.stringContaining('time zone'),
    });
    // What does not depend on it is as ever.
    expect((await lake.run(set, 'SELECT email FROM raw.orders', { session })).code).toBe('ok');
    await lake.run(ROOT, 'DROP TABLE raw.timed');
  });
});
