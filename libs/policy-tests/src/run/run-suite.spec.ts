import { policyFiles } from '../../../../test/support/policy-files';
import { textReport } from '../report';
import { readSuite } from '../suite';
import { type CaseResult, runSuite, verdictOf } from '.';

const FIXTURE = `
tenant: acme
pool: bi
databases:
  lake:
    kind: own
    sql: |
      CREATE TABLE t(a INT, b VARCHAR); INSERT INTO t VALUES (1, 'x'), (2, 'y');
      CREATE TABLE secret(v VARCHAR); INSERT INTO secret VALUES ('zz-top');
      CREATE TABLE masked(v VARCHAR); CREATE TABLE filtered(v VARCHAR);
      CREATE SEQUENCE seq; CREATE VIEW v AS SELECT a FROM lake.main.t;
  other: { kind: sibling, tenant: globex, sql: CREATE TABLE t(a INT) }
  ext: { kind: federated, sql: "CREATE TABLE t(a INT); INSERT INTO t VALUES (5)" }
superusers: [root]
manifest:
  roles:
    - name: reader
      permissions:
        - { catalog: lake, schema: main, table: t, verb: RO }
        - { catalog: lake, schema: main, table: masked, verb: RO }
        - { catalog: lake, schema: main, table: filtered, verb: RO }
        - { catalog: ext, schema: main, table: '*', verb: ALL }
      columnPolicies: [{ catalog: lake, schema: main, table: masked, column: v, action: mask, transformSql: "'*'" }]
      rowPolicies: [{ catalog: lake, schema: main, table: filtered, predicateSql: "v = 'x'" }]
    - name: writer
      permissions: [{ catalog: lake, schema: main, table: t, verb: RW }]
    - name: everything
      permissions: [{ catalog: '*', schema: '*', table: '*', verb: ALL }]
  groups:
    - { name: writers, roles: [writer] }
  users:
    - { username: ana, roles: [reader], poolGrants: [{ pool: bi }] }
    - { username: eva, groups: [writers], poolGrants: [{ pool: bi }] }
    - { username: adm, roles: [everything], poolGrants: [{ pool: bi }] }
    - { username: out, roles: [reader] }
    - { username: off, roles: [reader], poolGrants: [{ pool: bi }], enabled: false }
twins:
  half: { lake: "CREATE TABLE t(a INT, b VARCHAR); INSERT INTO t VALUES (1, 'x')" }
  whole: { lake: "CREATE TABLE t(a INT, b VARCHAR); INSERT INTO t VALUES (2, 'y'), (1, 'x')" }
secrets: [zz-top, secret_name, a-secret-that-is-longer-than-a-line-of-a-plan]
`;

test('a policy of a fixture that is not valid fails its cases, at its place in the file', async () => {
  const wrong = FIXTURE.replace('"v = \'x\'"', '"v IN (SELECT 1)"');
  const [result] = await run('cases: [{ name: any, as: ana, sql: SELECT 1, expect: { allowed: true } }]', wrong);
  expect(textReport([result as CaseResult])).toMatch(/fixture\.yaml:\d+:\d+: a policy holds no subquery/);
});

async function run(cases: string, fixture = FIXTURE, waits = new Map<string, string>()): Promise<CaseResult[]> {
  const { folder, remove } = policyFiles({
    'fixture.yaml': fixture,
    'cases.yaml': `fixture: ./fixture.yaml\n${cases}`,
  });
  try {
    const suite = readSuite(folder, null);
    if ('faults' in suite) throw new Error(suite.faults.map(({ message }) => message).join(', '));
    return await runSuite(suite.cases, waits);
  } finally {
    remove();
  }
}

/** Who, which statement, and what is expected of it. */
type Row = [as: string, sql: string, expect: string, ...told: string[]];

/** What was expected and seen of each statement; null where it holds. */
async function mismatches(rows: readonly Row[], more = ''): Promise<(string | null)[]> {
  const cases = rows.map(
    ([as, sql, expect]) => `  - { name: it, as: ${as}, sql: ${JSON.stringify(sql)}, expect: ${expect} ${more} }`,
  );
  const results = await run(`cases:\n${cases.join('\n')}`);
  return results.map(({ failure }) => failure && `${failure.expected} / ${failure.seen}`);
}

test('an expectation that holds is met', async () => {
  const rows: Row[] = [
    ['ana', 'SELECT a FROM t', '{ allowed: true }'],
    ['ana', 'SELECT a, b FROM t', '{ rows: [[2, y], [1, x]], columns: [a, b], types: [INTEGER, VARCHAR], count: 2 }'],
    ['ana', 'SELECT a FROM t ORDER BY a DESC', '{ rows: [[2], [1]], ordered: true }'],
    ['ana', 'SELECT * FROM v', '{ rows: [[1], [2]] }'],
    ['ana', 'SELECT a, b FROM t', '{ same-as: whole }'],
    ['ana', 'SELECT CAST(b AS INT) FROM t', '{ same-as: whole }'],
    [
      'eva',
      'INSERT INTO t VALUES (3, NULL)',
      '{ affected: 1, state: [{ sql: SELECT a FROM t, rows: [[3], [2], [1]] }] }',
    ],
    [
      'ana',
      'SELECT * FROM secret',
      "{ denied: ['secret:read', 'main.secret:read', 'lake.main.SECRET:read', ana lacks] }",
    ],
    ['ana', 'SELECT 1; SELECT 2', '{ denied: one statement a call }'],
    ['ana', "SELECT 'x", '{ anyOf: [{ error: unterminated }, { allowed: true }], denied: true }'],
    ['ana', 'SELECT a/0 FROM nosuch', '{ refused: true }'],
    ['ana', 'SELECT nosuch FROM t', '{ error: nosuch }'],
    ['ana', 'SELECT v FROM masked', '{ rows: [] }'],
    ['ana', 'SELECT v FROM filtered', '{ rows: [] }'],
    ['adm', 'SELECT * FROM other.main.t', "{ denied: 'other.main.t:read' }"],
    ['adm', 'SELECT a FROM ext.main.t', "{ denied: 'ext.main.t:read' }"],
    ['ana', 'SELECT a FROM ext.main.t', '{ rows: [[5]] }'],
    [
      'ana',
      'INSERT INTO ext.main.t VALUES (6)',
      '{ refused: true, state: [{ sql: SELECT a FROM ext.t, rows: [[5]] }] }',
    ],
    ['out', 'SELECT 1', '{ denied: out has no access to pool bi }'],
    ['off', 'SELECT 1', '{ denied: the user is disabled }'],
    ['root', 'SELECT v FROM secret', '{ rows: [[zz-top]] }'],
    ['[ana, root]', 'SELECT count(*) FROM t', '{ rows: [[2]] }'],
  ];
  const told = await mismatches(rows);
  expect(rows.map(([, sql], i) => [sql, told[i]])).toEqual(rows.map(([, sql]) => [sql, null]));
});

describe('an expectation that does not hold', () => {
  test('is told with what was seen', async () => {
    const rows: Row[] = [
      [
        'ana',
        'SELECT * FROM secret',
        '{ allowed: true }',
        'allowed / denied: user:ana lacks grants on lake.main.secret:read',
      ],
      ['ana', 'SELECT a FROM t', '{ rows: [[1]] }', '1 row [1] / 2 rows [1], [2]'],
      [
        'ana',
        'SELECT a FROM t ORDER BY a',
        '{ rows: [[2], [1]], ordered: true }',
        '2 rows [2], [1], in this order / 2 rows [1], [2]',
      ],
      ['ana', 'SELECT a FROM t', '{ count: 3 }', 'a count of 3 / 2 rows [1], [2]'],
      ['ana', 'SELECT a FROM t', '{ columns: [b] }', 'columns b / a'],
      ['ana', 'SELECT a FROM t', '{ types: [BIGINT] }', 'types BIGINT / INTEGER'],
      ['eva', 'INSERT INTO t VALUES (3, NULL)', '{ affected: 2 }', '2 rows changed / 1 row changed'],
      [
        'eva',
        'INSERT INTO t VALUES (3, NULL)',
        '{ affected: 1, state: [{ sql: SELECT max(a) FROM t, rows: [[2]] }] }',
        '1 row [2] afterwards, for a superuser, of SELECT max(a) FROM t / 1 row [3]',
      ],
      ['ana', 'SELECT a FROM t', '{ same-as: half }', 'the same as half, which gives 1 row [1] / 2 rows [1], [2]'],
      ['ana', 'SELECT a FROM t WHERE a = 1', '{ denied: true }', 'denied / 1 row [1]'],
      [
        'ana',
        'SELECT * FROM secret',
        "{ denied: ['secret:read', 'secret:insert'] }",
        'denied, by secret:read and secret:insert / denied: user:ana lacks grants on lake.main.secret:read',
      ],
      [
        'ana',
        'SELECT * FROM secret',
        "{ denied: 'ecret:read' }",
        'denied, by ecret:read / denied: user:ana lacks grants on lake.main.secret:read',
      ],
      [
        'ana',
        'SELECT * FROM secret',
        '{ error: true }',
        'an error of the engine / denied: user:ana lacks grants on lake.main.secret:read',
      ],
      ['ana', 'SELECT 1', '{ refused: true }', 'refused / 1 row [1]'],
      ['ana', 'SELECT 1', '{ anyOf: [{ refused: true }, { rows: [[2]] }] }', 'refused, or 1 row [2] / 1 row [1]'],
      [
        '[root, ana]',
        'SELECT v FROM secret',
        '{ allowed: true }',
        'allowed / denied: user:ana lacks grants on lake.main.secret:read',
      ],
    ];
    const told = await mismatches(rows);
    expect(rows.map(([, sql], i) => [sql, told[i]])).toEqual(rows.map(([, sql, , as]) => [sql, as]));
  });

  test('nor does one whose column of the twin has another name or type', async () => {
    const twin = FIXTURE.replace('whole: { lake: "CREATE TABLE t(a INT', 'whole: { lake: "CREATE TABLE t(a BIGINT');
    const [result] = await run(
      'cases: [{ name: it, as: ana, sql: SELECT a FROM t, expect: { same-as: whole } }]',
      twin,
    );
    expect(result?.failure).toMatchObject({ expected: 'columns a BIGINT', seen: 'a INTEGER' });
  });
});

describe('a secret', () => {
  test('is found in values, names of columns, refusals, errors and plans', async () => {
    const long = 'a-secret-that-is-longer-than-a-line-of-a-plan';
    const rows: Row[] = [
      ['ana', "SELECT 'a zz-top b'", '{ contained: true }'],
      ['ana', "SELECT [{'k': 'zz-top'}]", '{ contained: true }'],
      ['ana', 'SELECT 1 AS secret_name', '{ contained: true }'],
      ['ana', 'SELECT * FROM secret_name', '{ contained: true }'],
      ['ana', "SELECT CAST('zz-top' AS INT)", '{ contained: true }'],
      ['ana', `EXPLAIN SELECT a FROM t WHERE b || '${long}' <> ''`, '{ contained: true }'],
    ];
    for (const told of await mismatches(rows)) expect(told).toMatch(/^no secret in the answer \/ .* in it$/);
    const reveals = `, reveals: [zz-top, secret_name, ${long}]`;
    expect(await mismatches(rows, reveals)).toEqual(rows.map(() => null));
  });

  test('is not kept from a superuser', async () => {
    const rows: Row[] = [['root', 'SELECT v AS secret_name FROM secret', '{ allowed: true }']];
    expect(await mismatches(rows)).toEqual([null]);
  });
});

test('steps share the session of their principal, and each case is fresh', async () => {
  const results = await run(`cases:
  - name: a transaction of one is not seen by another
    steps:
      - { as: eva, sql: BEGIN, expect: { allowed: true } }
      - { as: eva, sql: DELETE FROM t, expect: { affected: 2 } }
      - { as: ana, sql: SELECT count(*) FROM t, expect: { rows: [[2]] } }
      - { as: eva, sql: COMMIT, expect: { allowed: true } }
      - { as: [ana, eva], sql: SELECT count(*) FROM t, expect: { rows: [[0]] } }
      - { as: eva, sql: SET VARIABLE x = 1, expect: { allowed: true } }
  - name: nothing of it is left
    steps:
      - { as: eva, sql: SELECT count(*) FROM t, expect: { rows: [[2]] } }
      - { as: eva, sql: "SELECT getvariable('x')", expect: { rows: [[null]] } }`);
  expect(results.map(({ failure }) => failure)).toEqual([null, null]);
});

test('a change of policy holds for the next statement of an open session', async () => {
  const results = await run(`cases:
  - name: each of them
    steps:
      - { as: eva, sql: SELECT count(*) FROM t, expect: { rows: [[2]] } }
      - do: REVOKE ROLE writer FROM GROUP writers
      - { as: eva, sql: SELECT count(*) FROM t, expect: { denied: 't:read' } }
      - do: GRANT SELECT ON lake.main.t TO ROLE reader
      - do: GRANT ROLE reader TO USER eva
      - { as: eva, sql: SELECT count(*) FROM t, expect: { rows: [[2]] } }
      - do: ALTER USER eva DISABLE
      - { as: eva, sql: SELECT 1, expect: { denied: disabled } }
      - do: DROP USER ana
      - { as: ana, sql: SELECT 1, expect: { denied: revoked } }
  - name: an open transaction ends with what allowed it
    steps:
      - { as: eva, sql: BEGIN, expect: { allowed: true } }
      - { as: eva, sql: DELETE FROM t, expect: { affected: 2 } }
      - do: REVOKE ROLE writer FROM GROUP writers
      - { as: eva, sql: COMMIT, expect: { denied: transaction aborted, state: [{ sql: SELECT count(*) FROM t, rows: [[2]] }] } }
  - name: one that is refused
    steps: [{ do: GRANT ROLE nosuch TO USER eva }]
  - name: one that cannot be read
    steps: [{ do: GRANT eva }]`);
  const told = results.map(({ failure }) => failure && `${failure.expected} / ${failure.seen}`);
  expect(told).toEqual([null, null, expect.stringContaining('refused: '), expect.stringContaining('refused: line 1')]);
});

test('administrators administer at the SQL door, and give no more than they hold', async () => {
  const fixture = FIXTURE.replace(
    '{ username: off,',
    '{ username: boss, kind: admin, roles: [reader], poolGrants: [{ pool: bi }] }\n    - { username: off,',
  );
  const results = await run(
    `cases:
  - name: by an administrator of the tenant
    steps:
      - { as: eva, sql: GRANT ROLE reader TO USER eva, expect: { denied: for administrators } }
      - { as: boss, sql: GRANT ROLE everything TO USER eva, expect: { denied: you do not hold } }
      - { as: boss, sql: GRANT ROLE reader TO USER eva, expect: { rows: [[ok, role reader granted to user eva]], columns: [status, detail] } }
      - { as: eva, sql: SELECT a FROM ext.main.t, expect: { rows: [[5]] } }
      - { as: boss, sql: SHOW GRANTS FOR ROLE writer, expect: { count: 1 } }
  - name: by a superuser
    steps:
      - { as: root, sql: CREATE USER new PASSWORD 'a long password' ROLES reader, expect: { allowed: true } }
      - { as: root, sql: SHOW USERS, expect: { count: 7 } }`,
    fixture,
  );
  expect(results.map(({ failure }) => failure && `${failure.expected} / ${failure.seen}`)).toEqual([null, null]);
});

test('secure views are made by the SQL of a database, and by steps of superusers', async () => {
  const fixture = FIXTURE.replace(
    'CREATE SEQUENCE seq;',
    "CREATE SEQUENCE seq; CREATE SECURE VIEW lake.main.sv AS SELECT v FROM lake.main.secret WHERE v = 'none';",
  ).replace(
    'table: masked, verb: RO }',
    'table: masked, verb: RO }\n        - { catalog: lake, schema: main, table: sv, verb: RO }',
  );
  const results = await run(
    `cases:
  - name: made
    steps:
      - { as: ana, sql: SELECT * FROM sv, expect: { count: 0 } }
      - { as: ana, sql: SELECT * FROM secret, expect: { denied: 'secret:read' } }
      - { as: ana, sql: DROP SECURE VIEW lake.main.sv, expect: { denied: true } }
      - { as: ana, sql: DROP VIEW lake.main.sv, expect: { denied: 'sv:drop' } }
      - do: CREATE OR REPLACE SECURE VIEW lake.main.sv AS SELECT a AS v FROM lake.main.t
      - { as: ana, sql: SELECT * FROM sv, expect: { rows: [[1], [2]] } }
      - { as: root, sql: DROP SECURE VIEW lake.main.sv, expect: { rows: [[ok, secure view lake.main.sv dropped]] } }
      - { as: ana, sql: SELECT * FROM sv, expect: { error: does not exist } }
      - { as: root, sql: CREATE SECURE VIEW lake.main.sv AS SELECT * FROM t, expect: { denied: three parts } }`,
    fixture,
  );
  expect(results.map(({ failure }) => failure && `${failure.sql}: ${failure.expected} / ${failure.seen}`)).toEqual([
    null,
  ]);
});

test('the SQL of a database holds no other policy', async () => {
  const fixture = FIXTURE.replace('CREATE SEQUENCE seq', 'CREATE ROLE r');
  const [result] = await run('cases: [{ name: any, as: ana, sql: SELECT 1, expect: { allowed: true } }]', fixture);
  expect(result?.failure?.seen).toMatch(/policy belongs in the manifest; in the SQL of "lake": CREATE ROLE r/);
});

test('a case that waits is none that failed until it holds', async () => {
  const results = await run(
    `cases:
  - { id: A, name: a, waits: no nothing, as: ana, sql: SELECT v FROM nothing, expect: { allowed: true } }
  - { id: B, name: b, as: ana, sql: SELECT v FROM nothing, expect: { allowed: true } }
  - { id: C, name: c, as: ana, sql: SELECT a FROM t, expect: { allowed: true } }
  - { id: D, name: d, as: ana, sql: SELECT a FROM t, expect: { allowed: true } }`,
    FIXTURE,
    new Map([
      ['B', 'no nothing'],
      ['C', 'no reads'],
    ]),
  );
  expect(results.map(verdictOf)).toEqual(['waiting', 'waiting', 'failed', 'passed']);
  expect(textReport(results)).toMatch(
    /^FAIL C c \(.*: it holds, and waits no longer \(no reads\).*\n1 passed, 1 failed, 2 waiting\n$/,
  );
});

describe('a fixture that cannot be filled', () => {
  const cases = `cases:
  - { name: a, as: ana, sql: SELECT a FROM t, expect: { allowed: true } }
  - { name: b, as: ana, sql: SELECT * FROM sv, expect: { denied: true } }`;

  test('fails all of its cases, with the statement', async () => {
    const results = await run(cases, FIXTURE.replace('CREATE SEQUENCE seq', 'INSERT INTO nosuch VALUES (1)'));
    expect(results.map(({ failure }) => failure?.seen)).toEqual([
      expect.stringMatching(/nosuch.*in the SQL of "lake": INSERT INTO nosuch/),
      expect.stringContaining('nosuch'),
    ]);
  });

  test('for an object of a kind that is refused to superusers too fails the cases that name it', async () => {
    const fixture = FIXTURE.replace('CREATE SEQUENCE seq', 'CREATE NOSUCH THING lake.main.sv AS SELECT 1');
    const results = await run(cases, fixture);
    expect(results.map(({ failure }) => failure?.seen)).toEqual([undefined, expect.stringContaining('CREATE NOSUCH')]);
  });
});

test('a failure shows the statement, the rows side by side, the objects and what decided', async () => {
  const results = await run(`cases:
  - { id: A, name: rows differ, as: ana, sql: SELECT a FROM t, expect: { rows: [[1], [3]] } }
  - { id: B, name: it is denied, as: ana, sql: SELECT * FROM secret, expect: { allowed: true } }`);
  const report = textReport(results).replaceAll(/\(\/[^)]*\/cases/g, '(cases');
  expect(report).toBe(`FAIL A rows differ (cases.yaml:3): expected 2 rows [1], [3]; seen 2 rows [1], [2]
  ana: SELECT a FROM t
    expected | seen
  ! [3]      | [2]
    [1]      | [1]
  described: lake.main.t:read(a)
  allowed
FAIL B it is denied (cases.yaml:4): expected allowed; seen denied: user:ana lacks grants on lake.main.secret:read
  ana: SELECT * FROM secret
  described: lake.main.secret:read
  denied by rule grant
0 passed, 2 failed
`);
});
