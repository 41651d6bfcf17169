import { dropSecureView, makeSecureView } from '@gadwall/engine';
import { EffectiveSet, SecureView } from '@gadwall/rbac';
import { Outcome, ROOT, RunOptions, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

/** What no reader may see or hear of is called zz…; row 2 of the base is what the view leaves out. */
const SEED = `
  CREATE SCHEMA s1; CREATE SCHEMA bare;
  CREATE TABLE zzbase(id INT, v VARCHAR, n VARCHAR); INSERT INTO zzbase VALUES (1, 'one', '1'), (2, 'zz-hidden', 'zz'), (3, 'three', '3');
  CREATE TABLE orders(id INT, who INT); INSERT INTO orders VALUES (10, 1), (20, 2), (30, 3);
  CREATE TABLE kept(id INT, v VARCHAR); CREATE TABLE mine(a INT); CREATE VIEW zzplain AS SELECT id, v FROM lake.main.zzbase;
  CREATE TABLE bare.zzbase(id INT)`;

const VIEWS: [string, string][] = [
  ['sv', 'SELECT id, v FROM lake.main.zzbase WHERE abs(id) <> 2'],
  ['named', 'SELECT id, (SELECT max(v) FROM lake.main.sv), count(*) OVER () FROM lake.main.zzbase WHERE id <> 2'],
  ['nested', 'SELECT s.id, s.v AS w FROM lake.main.sv s JOIN lake.main.zzbase z ON z.id = s.id WHERE s.id < 3'],
  ['star', 'SELECT * FROM lake.main.zzbase WHERE id <> 2'],
  [
    'cte',
    'WITH q AS (SELECT id FROM lake.main.zzbase), r AS (SELECT id FROM q WHERE id <> 2) SELECT id FROM r UNION ALL SELECT 7',
  ],
  ['strict', "SELECT id, CAST(n AS INT) AS n FROM lake.main.zzbase WHERE n <> 'zz'"],
  ['broken', 'SELECT CAST(v AS INT) AS n FROM lake.main.zzbase'],
  ['s1.elsewhere', 'SELECT id FROM lake.main.sv'],
];

let lake: TestPipeline;
let views: SecureView[];
/** Holds the views and some tables of its own, and nothing that the views read. */
let sv: EffectiveSet;
/** Holds the base too, under policies. */
let under: EffectiveSet;
let nil: EffectiveSet;

const of = (name: string) => {
  const [last = '', schema = 'main'] = name.split('.').reverse();
  return { catalog: 'lake', schema, name: last };
};

async function made(name: string, query: string, orReplace = false): Promise<SecureView> {
  const outcome = await makeSecureView(lake.pipeline.maker, { view: of(name), query, orReplace, secureViews: views });
  if (outcome.outcome !== 'made') throw new Error(JSON.stringify(outcome));
  views = [...views.filter((one) => one.name !== outcome.view.name), outcome.view];
  return outcome.view;
}

const holding = (set: EffectiveSet): EffectiveSet => ({ ...set, secureViews: views });

/** A database with the views in it, and those who read them. */
async function fresh(): Promise<void> {
  lake = await startPipeline(SEED);
  views = [];
  for (const [name, query] of VIEWS) await made(name, query);
  for (const sql of [
    'CREATE VIEW over AS SELECT id, v AS w FROM lake.main.sv',
    'CREATE VIEW over2 AS FROM lake.main.over',
  ])
    expect(await lake.run(ROOT, sql)).toMatchObject({ code: 'ok' });
  const grants = ['sv', 'named', 'nested', 'star', 'cte', 'strict', 'broken', 'orders', 'mine'].map(
    (name) => `RO lake.main.${name}`,
  );
  sv = holding(userWith('sv', ...grants, 'RO lake.s1.elsewhere', 'RW lake.main.kept', 'DDL lake.*.*'));
  const place = { role: 'r', catalog: 'lake', schema: 'main', table: 'zzbase' };
  under = holding({
    ...userWith('under', ...grants, 'RO lake.main.zzbase'),
    rowPolicies: [{ ...place, predicateSql: 'id > 1' }],
    columnPolicies: [{ ...place, column: 'v', action: 'mask', transformSql: "'masked'" }],
  });
  nil = holding(userWith('nil', 'RO lake.main.orders'));
}

const seen = async (set: EffectiveSet, sql: string, more?: RunOptions): Promise<unknown[][]> => {
  const { code, message, rows } = await lake.run(set, sql, more);
  expect({ sql, code, message }).toEqual({ sql, code: 'ok', message: '' });
  return rows;
};
const silent = (outcome: Outcome): Outcome => {
  expect(JSON.stringify(outcome)).not.toMatch(/zz/);
  return outcome;
};
const refused = async (set: EffectiveSet, sql: string, rule: string, message: RegExp, more?: RunOptions) => {
  expect({ sql, ...silent(await lake.run(set, sql, more)) }).toMatchObject({
    sql,
    code: 'access_denied',
    rule,
    message: expect.stringMatching(message),
  });
};

describe('a secure view that is granted', () => {
  beforeAll(fresh);
  afterAll(() => lake.close());

  test.each<[string, unknown[][]]>([
    [
      'SELECT * FROM sv',
      [
        [1, 'one'],
        [3, 'three'],
      ],
    ],
    [
      'FROM lake.main.sv',
      [
        [1, 'one'],
        [3, 'three'],
      ],
    ],
    [
      'TABLE sv',
      [
        [1, 'one'],
        [3, 'three'],
      ],
    ],
    ["SELECT sv.v, main.sv.id FROM sv WHERE v > 'p'", [['three', 3]]],
    ['SELECT "SV".v FROM MAIN."SV"', [['one'], ['three']]],
    ['SELECT a.v, b.v FROM sv a JOIN sv b ON a.id = b.id + 2', [['three', 'one']]],
    [
      'SELECT o.id, sv.v FROM orders o LEFT JOIN sv ON sv.id = o.who ORDER BY 1',
      [
        [10, 'one'],
        [20, null],
        [30, 'three'],
      ],
    ],
    [
      'SELECT o.id, (SELECT v FROM sv WHERE sv.id = o.who) FROM orders o ORDER BY 1',
      [
        [10, 'one'],
        [20, null],
        [30, 'three'],
      ],
    ],
    ['SELECT id FROM orders o WHERE EXISTS (FROM sv WHERE sv.id = o.who) ORDER BY 1', [[10], [30]]],
    ['SELECT id FROM orders WHERE who NOT IN (SELECT id FROM sv)', [[20]]],
    [
      'SELECT o.id, x.v FROM orders o, LATERAL (SELECT v FROM sv WHERE sv.id = o.who) x ORDER BY 1',
      [
        [10, 'one'],
        [30, 'three'],
      ],
    ],
    ['WITH c AS (FROM sv) SELECT count(*) FROM c, c d', [[4]]],
    ['WITH c AS MATERIALIZED (FROM sv) SELECT max(v) FROM c', [['three']]],
    ['WITH sv AS (SELECT 9 AS id) SELECT id FROM sv', [[9]]],
    ['(SELECT v FROM sv) UNION ALL (SELECT v FROM sv) ORDER BY 1 LIMIT 2', [['one'], ['one']]],
    ['SELECT count(*), count(DISTINCT v) FROM sv GROUP BY id % 2', [[2, 2]]],
    [
      'SELECT * FROM named ORDER BY 1',
      [
        [1, 'three', 2],
        [3, 'three', 2],
      ],
    ],
    ['SELECT * FROM nested', [[1, 'one']]],
    ['SELECT id FROM cte ORDER BY 1', [[1], [3], [7]]],
    [
      'SELECT * FROM strict ORDER BY id',
      [
        [1, 1],
        [3, 3],
      ],
    ],
    ['SELECT id FROM s1.elsewhere ORDER BY 1', [[1], [3]]],
    [
      'SELECT * FROM over ORDER BY 1',
      [
        [1, 'one'],
        [3, 'three'],
      ],
    ],
    ['SELECT w FROM over2 o WHERE o.id = 1', [['one']]],
    ['SELECT * FROM sv, nested, over2 WHERE sv.id = nested.id AND over2.id = 1', [[1, 'one', 1, 'one', 1, 'one']]],
  ])('%s is read with the rights of its owner', async (sql, rows) => {
    const got = await seen(sv, sql);
    const sorted = (list: unknown[][]) => (/ORDER BY/.test(sql) ? list : [...list].sort());
    expect(sorted(got)).toEqual(sorted(rows));
    // From the cache, too.
    expect(sorted(await seen(sv, sql))).toEqual(sorted(rows));
  });

  test.each([
    'SELECT t.a, t.b FROM sv AS t(a, b)',
    'SELECT sv FROM sv',
    'SELECT x: id FROM y: sv',
    'FROM sv SELECT v, row_number() OVER (ORDER BY id) QUALIFY row_number() OVER (ORDER BY id) = 1',
    'SELECT * FROM sv NATURAL JOIN over',
    'SELECT * FROM sv POSITIONAL JOIN over2',
    'SELECT * FROM sv ASOF JOIN over o ON sv.id >= o.id',
    'SELECT * FROM orders SEMI JOIN sv ON sv.id = orders.who',
    'SELECT * FROM sv CROSS JOIN LATERAL (SELECT count(*) FROM nested n WHERE n.id <= sv.id)',
    'SELECT * FROM sv TABLESAMPLE 100%',
    'SELECT * EXCLUDE (v) REPLACE (id + 1 AS id) FROM sv',
    'SELECT COLUMNS(*) FROM sv UNION ALL BY NAME SELECT * FROM over',
    'UNPIVOT (SELECT id, id AS j FROM sv) ON id, j',
    "SELECT * FROM (PIVOT sv ON v IN ('one', 'three') USING count(*))",
    'WITH RECURSIVE r AS (SELECT id FROM sv UNION SELECT r.id + 1 FROM r JOIN sv ON sv.id > r.id) FROM r',
    'SELECT (SELECT list(o.id ORDER BY o.id) FROM orders o WHERE o.who IN (FROM (SELECT id FROM sv s WHERE s.id <= x.id))) FROM sv x',
    'SELECT * FROM sv WHERE (SELECT count(*) FROM over2 o WHERE o.id < sv.id) > 0',
    'SELECT a.id FROM sv a WHERE a.id = ANY (SELECT b.id FROM nested b) OR a.v IN (SELECT w FROM over)',
    'VALUES ((SELECT max(id) FROM sv))',
    'SELECT * FROM (TABLE sv) ORDER BY ALL LIMIT 1 OFFSET 1',
  ])('%s gives what a superuser gets', async (sql) => {
    const text = (rows: unknown[][]) =>
      rows.map((row) => JSON.stringify(row, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v))).sort();
    const own = silent(await lake.run(sv, sql));
    const root = await lake.run(ROOT, sql);
    expect({ message: own.message, rows: text(own.rows), columns: own.columns }).toEqual({
      message: '',
      rows: text(root.rows),
      columns: root.columns,
    });
    expect(root.code).toBe('ok');
  });

  test.each([
    'SELECT rowid FROM sv',
    'SELECT n FROM sv',
    'SELECT sv.zz FROM sv',
    'FROM sv AT (VERSION => 1)',
    'INSERT INTO sv VALUES (1)',
    'UPDATE sv SET v = 1',
  ])('%s tells nothing of what it reads', async (sql) => {
    const all = { ...sv, permissions: [...sv.permissions, ...userWith('', 'ALL lake.main.sv').permissions] };
    expect((await lake.run(all, sql)).code).not.toBe('ok');
    expect(JSON.stringify(await lake.run(all, sql))).not.toMatch(/zzbase/);
  });

  test('what is not granted is refused in the words of what is not there', async () => {
    const hidden = silent(await lake.run(nil, 'SELECT * FROM sv'));
    const missing = await lake.run(nil, 'SELECT * FROM nosuch');
    expect(JSON.stringify(hidden).replaceAll('sv', 'nosuch')).toEqual(JSON.stringify(missing));
    await refused(nil, 'SELECT * FROM over', 'grant', /lacks grants on lake\.main\.over:read/);
    await refused(nil, 'SELECT * FROM lake.s1.elsewhere', 'grant', /lacks grants on lake\.s1\.elsewhere:read/);
  });

  test('a grant on it is none on what it reads, and one on that is none on it', async () => {
    expect(await lake.run(sv, 'SELECT * FROM zzbase')).toMatchObject({ code: 'access_denied', rule: 'grant' });
    const base = holding(userWith('base', 'RO lake.main.zzbase'));
    for (const name of ['sv', 'over', 'nested'])
      expect(await lake.run(base, `SELECT * FROM ${name}`)).toMatchObject({
        rule: 'grant',
        message: `user:base lacks grants on lake.main.${name}:read`,
      });
  });

  test('policies of its reader hold on the base, and not under the view', async () => {
    expect(await seen(under, 'SELECT id, v FROM zzbase ORDER BY 1')).toEqual([
      [2, 'masked'],
      [3, 'masked'],
    ]);
    expect(await seen(under, 'SELECT * FROM sv ORDER BY 1')).toEqual([
      [1, 'one'],
      [3, 'three'],
    ]);
    const both = 'SELECT b.id, b.v, sv.v FROM zzbase b FULL JOIN sv ON sv.id = b.id ORDER BY b.id NULLS FIRST, sv.id';
    expect(await seen(under, both)).toEqual([
      [null, null, 'one'],
      [2, 'masked', null],
      [3, 'masked', 'three'],
    ]);
    expect(await seen(under, 'SELECT b.v FROM zzbase b WHERE b.id IN (SELECT id FROM over)')).toEqual([['masked']]);
  });

  test('a policy that names the view is refused, and one of all tables is about tables', async () => {
    const policy = { role: 'r', catalog: 'lake', schema: 'main', table: 'sv', predicateSql: 'false' };
    const message = /a policy on the view sv is not supported/;
    await refused({ ...sv, rowPolicies: [policy] }, 'SELECT * FROM sv', 'row-policy', message);
    await refused({ ...sv, rowPolicies: [policy] }, 'SELECT * FROM over', 'row-policy', message);
    expect(await seen({ ...sv, rowPolicies: [{ ...policy, table: '*' }] }, 'SELECT count(*) FROM sv')).toEqual([[2]]);
  });

  test('what is asked of it is not asked of what it leaves out', async () => {
    const raising = "SELECT id FROM @ WHERE CASE WHEN v LIKE 'zz%' THEN CAST(v AS INT) = 1 ELSE true END";
    expect(await seen(sv, raising.replace('@', 'sv'))).toEqual([[1], [3]]);
    expect(await seen(sv, raising.replace('@', '(SELECT id, w AS v FROM over2)'))).toHaveLength(2);
    expect(
      await seen(sv, "SELECT id FROM sv WHERE regexp_matches(v, '^[a-y]') AND CAST(id AS VARCHAR) > '0'"),
    ).toHaveLength(2);
  });

  test('what fails in it is not shown', async () => {
    expect(silent(await lake.run(sv, 'SELECT n FROM broken'))).toMatchObject({
      code: 'sql_error',
      message: expect.stringMatching(/which one is not shown/),
    });
  });

  test('statements that write, explain, prepare and ask about it', async () => {
    expect(await lake.run(sv, 'INSERT INTO kept SELECT * FROM sv')).toMatchObject({ code: 'ok', affected: 2 });
    expect(await lake.run(sv, "UPDATE kept SET v = sv.v || '!' FROM sv WHERE sv.id = kept.id")).toMatchObject({
      affected: 2,
    });
    expect(await lake.run(sv, 'DELETE FROM kept USING over WHERE over.id = kept.id AND kept.id = 1')).toMatchObject({
      affected: 1,
    });
    expect(
      await seen(
        { ...sv, permissions: [...sv.permissions, ...userWith('', 'RO lake.main.kept').permissions] },
        'FROM kept',
      ),
    ).toEqual([[3, 'three!']]);
    const [[, plan]] = (await seen(sv, 'EXPLAIN SELECT * FROM sv JOIN orders o ON o.id = sv.id')) as [[string, string]];
    expect(plan).toMatch(/SECURE VIEW/);
    expect(plan).toMatch(/SCAN lake\.main\.orders/);
    expect(plan).not.toMatch(/zz/);
    await refused(sv, 'EXPLAIN ANALYZE SELECT * FROM sv', 'secure-view', /EXPLAIN ANALYZE/);
    expect((await seen(sv, 'DESCRIBE sv')).map(([name]) => name)).toEqual(['id', 'v']);
    expect((await seen(sv, 'SUMMARIZE sv')).map(([name, , min]) => [name, min])).toEqual([
      ['id', '1'],
      ['v', 'one'],
    ]);
    expect(await seen(sv, "SELECT table_name FROM information_schema.tables WHERE table_name = 'sv'")).toEqual([
      ['sv'],
    ]);
    expect(await seen(sv, "SELECT sql FROM duckdb_views() WHERE view_name = 'sv'")).toEqual([[null]]);
    const session = await lake.session(sv);
    await seen(sv, 'PREPARE p AS SELECT v FROM sv WHERE id = $1', { session });
    expect(await seen(sv, 'EXECUTE p(3)', { session })).toEqual([['three']]);
  });

  test('a column without a name keeps the one of its text', async () => {
    const sql = 'SELECT (SELECT max(v) FROM sv), (SELECT count(*) FROM over2) FROM orders';
    expect((await lake.run(sv, sql)).columns).toEqual((await lake.run(ROOT, sql)).columns);
  });

  test('what is made of it is read with the rights of whoever reads that', async () => {
    for (const sql of ['CREATE TABLE copied AS SELECT id FROM sv', 'CREATE VIEW own AS SELECT id FROM lake.main.sv'])
      expect(await lake.run(sv, sql)).toMatchObject({ code: 'ok' });
    expect(await seen(sv, 'SELECT count(*) FROM own')).toEqual([[2]]);
    await refused(nil, 'SELECT * FROM own', 'grant', /lake\.main\.own:read/);
    await refused(nil, 'CREATE VIEW x AS SELECT id FROM lake.main.sv', 'grant', /lake\.main\.sv:read/);
  });

  test('where nothing can be put in its place it is refused', async () => {
    await refused(sv, "FROM query('SELECT * FROM sv')", 'secure-view', /in a text/);
    await refused(sv, "FROM query('SELECT * FROM over')", 'secure-view', /in a text/);
    await refused(sv, "FROM query_table('sv')", 'secure-view', /not found|cannot be put in/);
  });

  test('a superuser reads what the catalog has', async () => {
    expect(await seen(ROOT, 'SELECT count(*) FROM sv')).toEqual([[2]]);
    expect(await seen(ROOT, "FROM query('SELECT count(*) FROM sv')")).toEqual([[2]]);
  });

  describe('in a session', () => {
    test.each([
      ['holds a temporary view', ['CREATE TEMP VIEW tv AS SELECT 1']],
      ['has set a variable', ['SET VARIABLE x = 1']],
      ['has set a variable', ['SET VARIABLE schema = 1']],
      ['has set a variable', ['SET VARIABLE x = 1', 'RESET VARIABLE x']],
      ['has set a variable, or changed a setting', ["SET TimeZone = 'UTC'"]],
      ['has set a variable, or changed a setting', ['RESET TimeZone']],
      ['has a search path', ['USE lake.s1']],
      ['has a search path', ["SET search_path = 'lake.main,lake.s1'"]],
      ['has a search path', ["SET schema = 's1'"]],
    ])('that %s (%j) it is refused', async (why, statements) => {
      const session = await lake.session(sv);
      for (const sql of statements) await seen(sv, sql, { session });
      const message = new RegExp(`^statement uses a secure view while the session ${why}`);
      for (const sql of [
        'SELECT * FROM lake.main.sv',
        'SELECT * FROM lake.main.over2',
        'INSERT INTO lake.main.kept FROM lake.main.sv',
      ])
        await refused(sv, sql, 'secure-view', message, { session });
      // Those who are not granted it hear no more than before.
      await refused(nil, 'SELECT * FROM lake.main.sv', 'grant', /lacks grants/, { session });
      expect(await seen(sv, 'SELECT count(*) FROM lake.main.orders', { session })).toEqual([[3]]);
    });

    test.each([
      ['CREATE TEMP MACRO abs(x) AS 1', 'holds a temporary macro'],
      ["CREATE TEMP TYPE mood AS ENUM ('a')", 'holds a temporary type'],
    ])('that was given one by %s it is refused', async (sql, why) => {
      const session = await lake.session(sv);
      await session.connection.run(sql);
      session.changed();
      await refused(sv, 'SELECT * FROM sv', 'secure-view', new RegExp(`while the session ${why}`), { session });
    });

    test('with temporary tables, a transaction and the default search path it is read', async () => {
      const session = await lake.session(sv);
      for (const sql of ['CREATE TEMP TABLE zt AS SELECT 1 AS a', 'CREATE TEMP TABLE orders AS FROM sv', 'BEGIN']) {
        await seen(sv, sql, { session });
      }
      expect(await seen(sv, 'SELECT count(*) FROM sv, zt, temp.orders', { session })).toEqual([[4]]);
      for (const sql of ['COMMIT', 'USE lake.s1', 'USE lake.main', "SET schema = 'main'"])
        await seen(sv, sql, { session });
      expect(await seen(sv, 'SELECT count(*) FROM sv', { session })).toEqual([[2]]);
    });
  });
});

describe('when the catalog changes', () => {
  beforeEach(fresh);
  afterEach(() => lake.close());

  const root = async (...statements: string[]) => {
    for (const sql of statements) expect(await lake.run(ROOT, sql)).toMatchObject({ message: '' });
  };

  test.each([
    ['another text', ['CREATE OR REPLACE VIEW sv AS SELECT id, v FROM lake.main.zzbase']],
    [
      'other names of columns',
      ['CREATE OR REPLACE VIEW sv(id, v) AS SELECT id, v FROM lake.main.zzbase WHERE id <> 2'],
    ],
    ['a table in its place', ['DROP VIEW sv', 'CREATE TABLE sv(id INT, v VARCHAR)']],
    ['a view in the place of its base', ['DROP TABLE zzbase', "CREATE VIEW zzbase AS SELECT 2 AS id, 'zz' AS v"]],
    ['no base', ['DROP TABLE zzbase']],
    ['a base without its column', ['ALTER TABLE zzbase DROP COLUMN v']],
    ['a macro in the place of its function', ['CREATE MACRO abs(x) AS 0']],
  ])('to %s, the view is refused', async (_, statements) => {
    expect(await seen(sv, 'SELECT count(*) FROM sv')).toEqual([[2]]);
    await root(...statements);
    for (const sql of ['SELECT * FROM sv', 'SELECT * FROM over2', 'SELECT * FROM lake.main.nested'])
      await refused(sv, sql, 'secure-view', /^the secure view lake\.main\.(sv|nested) has changed since it was made/);
  });

  test('so that the base has a column more, the view has none more', async () => {
    await root("ALTER TABLE zzbase ADD COLUMN zzmore VARCHAR DEFAULT 'zz'");
    const { columns, rows } = silent(await lake.run(sv, 'SELECT * FROM star ORDER BY id'));
    expect(columns).toEqual(['id', 'v', 'n']);
    expect(rows).toHaveLength(2);
  });

  test('so that a macro reads it, the macro is refused', async () => {
    await root('CREATE MACRO of_view() AS TABLE SELECT * FROM lake.main.sv');
    const caller = { ...sv, macros: [of('of_view')] };
    await refused(caller, 'FROM of_view()', 'secure-view', /read by a macro/);
  });

  test('by making it anew, what is read is another at once', async () => {
    expect(await seen(sv, 'SELECT v FROM over WHERE id = 1').catch(() => [])).toEqual([]);
    expect(await seen(sv, 'SELECT w FROM over')).toHaveLength(2);
    await made('sv', 'SELECT id, upper(v) AS v FROM lake.main.zzbase WHERE id = 1', true);
    // Under the policy of before it is not what was made.
    await refused(sv, 'SELECT w FROM over', 'secure-view', /has changed/);
    expect(await seen(holding(sv), 'SELECT w FROM over')).toEqual([['ONE']]);
    expect(await seen(holding(sv), 'SELECT w FROM nested')).toEqual([['ONE']]);
  });

  test('before a transaction that has read it ends, what it wrote is not committed', async () => {
    const session = await lake.session(sv);
    for (const sql of ['BEGIN', 'INSERT INTO kept FROM sv']) await seen(sv, sql, { session });
    await made('sv', 'SELECT id, v FROM lake.main.zzbase WHERE id = 1', true);
    expect(await lake.run(holding(sv), 'COMMIT', { session })).toMatchObject({
      code: 'transaction_aborted',
      message: expect.stringMatching(/the secure view lake\.main\.sv has changed/),
    });
    expect(await seen(sv, 'ROLLBACK', { session })).toEqual([]);
    expect(await seen(ROOT, 'SELECT count(*) FROM kept')).toEqual([[0]]);
  });

  test('nobody but a superuser changes what has its name', async () => {
    const dba = { ...sv, permissions: [...sv.permissions, ...userWith('', 'ALL lake.*.*').permissions] };
    for (const sql of [
      'CREATE OR REPLACE VIEW sv AS SELECT 1',
      'CREATE VIEW IF NOT EXISTS sv AS SELECT 1',
      'CREATE OR REPLACE TABLE sv(a INT)',
      'DROP VIEW sv',
      'DROP VIEW IF EXISTS SV',
      'ALTER VIEW sv RENAME TO x',
      "COMMENT ON VIEW sv IS 'mine'",
      "COMMENT ON COLUMN sv.id IS 'mine'",
      'DROP SCHEMA s1 CASCADE',
    ])
      await refused(dba, sql, 'secure-view', /is a secure view|holds a secure view/);
    await root('DROP VIEW sv');
    for (const sql of ['CREATE TABLE sv(a INT)', 'CREATE VIEW sv AS SELECT 1', 'ALTER TABLE mine RENAME TO sv'])
      await refused(dba, sql, 'secure-view', /is a secure view/);
    expect(await lake.run(dba, 'DROP SCHEMA bare CASCADE')).toMatchObject({ code: 'ok' });
  });

  test('a view that was dropped is a plain one, or none', async () => {
    const [first] = views;
    await root('CREATE VIEW keep AS SELECT 1');
    await dropSecureView(lake.pipeline.maker, first!);
    const none = { ...sv, secureViews: [] };
    expect(await lake.run(none, 'SELECT * FROM sv')).toMatchObject({
      code: 'sql_error',
      message: expect.stringMatching(/does not exist/),
    });
    expect(await lake.run(none, 'SELECT * FROM cte')).toMatchObject({ rule: 'grant' });
    // What is no more as it was made stays.
    await root('CREATE OR REPLACE VIEW star AS SELECT 1 AS a');
    await dropSecureView(
      lake.pipeline.maker,
      views.find(({ name }) => name === 'star')!,
    );
    expect(await seen(ROOT, 'FROM star')).toEqual([[1]]);
  });
});
