import { ApiClient, startManager, TestManager } from '../support/manager';
import { workedExamples, Workshop } from '../support/worked-examples';

let manager: TestManager;
let made: Workshop;
const clients: Record<string, ApiClient> = {};

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  made = await workedExamples(manager);
  for (const name of ['alice', 'bob', 'acme-admin']) clients[name] = await manager.login(name, 'acme');
}, 60_000);

afterAll(() => manager.stop());

const sql = (as: string, pool: string, statement: string, more: Record<string, unknown> = {}) =>
  (as === 'root' ? manager.root : (clients[as] as ApiClient)).post('/api/sql', {
    tenant: 'acme',
    pool,
    sql: statement,
    ...more,
  });

describe('the worked examples of seed 000', () => {
  const ALLOWED = 200;
  const DENIED = 403;
  test.each([
    ['alice', 'bi', 'SELECT * FROM customer', ALLOWED, ''],
    ['alice', 'bi', 'SELECT * FROM lineitem', DENIED, 'user:alice lacks grants on acme_tpch.tpch1.lineitem:read'],
    [
      'alice',
      'bi',
      "INSERT INTO customer VALUES (99, 'x', 'y', 'z')",
      DENIED,
      'user:alice lacks grants on acme_tpch.tpch1.customer:insert',
    ],
    ['bob', 'etl', 'INSERT INTO lineitem SELECT * FROM orders', ALLOWED, ''],
    ['bob', 'etl', 'DELETE FROM lineitem WHERE l_orderkey < 0', ALLOWED, ''],
    ['bob', 'etl', 'CREATE TABLE foo (id INT)', ALLOWED, ''],
    ['bob', 'etl', 'SELECT * FROM customer', DENIED, 'user:bob lacks grants on acme_tpch.tpch1.customer:read'],
    ['acme-admin', 'bi', 'SELECT * FROM customer', ALLOWED, ''],
    ['acme-admin', 'bi', 'CREATE TABLE tpch1.new_table (id INT)', ALLOWED, ''],
    [
      'acme-admin',
      'bi',
      'SELECT * FROM globex_tpcds.tpcds1.store_sales',
      DENIED,
      'user:acme-admin lacks grants on globex_tpcds.tpcds1.store_sales:read',
    ],
  ])('%s on %s: %s -> %d', async (as, pool, statement, status, message) => {
    const answer = await sql(as, pool, statement);
    expect({ status: answer.status, message: (answer.body as { message?: string }).message ?? '' }).toEqual({
      status,
      message,
    });
  });

  test('alice on pool etl is denied at gate 1: no SQL is evaluated', async () => {
    const answer = await sql('alice', 'etl', 'SELECT 1');
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: 'pool_forbidden' });
  });
});

test('an answer has the shape of the SQL door', async () => {
  const answer = await sql('alice', 'bi', 'SELECT c_custkey, c_name FROM customer ORDER BY 1 LIMIT 2');
  expect(answer.headers['gadwall-policy-version']).toMatch(/^tenant=\d+, system=\d+$/);
  expect(answer.body).toMatchObject({
    queryId: answer.headers['gadwall-query-id'],
    kind: 'SELECT',
    columns: [
      { name: 'c_custkey', type: 'BIGINT' },
      { name: 'c_name', type: 'VARCHAR' },
    ],
    rows: [
      [1, 'Customer 1'],
      [2, 'Customer 2'],
    ],
    rowCount: 2,
    affected: null,
    truncated: false,
  });
});

test('a refusal names objects, rule and the smallest grant that would do', async () => {
  const answer = await sql('alice', 'bi', 'SELECT * FROM lineitem');
  expect(answer.body).toMatchObject({
    error: 'access_denied',
    rule: 'grant',
    objects: [{ catalog: 'acme_tpch', schema: 'tpch1', name: 'lineitem', kind: 'table', access: 'read' }],
    hint: expect.stringContaining('RO on acme_tpch.tpch1.lineitem') as string,
  });
});

test('a role taken away is gone at the very next statement, and back without a new login', async () => {
  const edge = { userId: made.users.alice, roleId: made.roles.analyst };
  expect((await sql('alice', 'bi', 'SELECT count(*) FROM orders')).status).toBe(200);
  await manager.root.done('/api/membership/user-role/remove', edge);
  expect((await sql('alice', 'bi', 'SELECT count(*) FROM orders')).status).toBe(403);
  await manager.root.done('/api/membership/user-role/add', edge);
  expect((await sql('alice', 'bi', 'SELECT count(*) FROM orders')).status).toBe(200);
});

test('parameters are values, whatever they hold', async () => {
  const answer = await sql('alice', 'bi', 'SELECT $1 AS a, $2 AS b, $3 AS c, $1 || $1 AS d', {
    parameters: ["it's; DROP TABLE customer --", -5, null],
  });
  expect((answer.body as { rows: unknown }).rows).toEqual([
    ["it's; DROP TABLE customer --", -5, null, "it's; DROP TABLE customer --it's; DROP TABLE customer --"],
  ]);
});

describe('sessions', () => {
  const open = async (as: string, pool: string) => {
    const answer = await (clients[as] as ApiClient).post('/api/session', { tenant: 'acme', pool });
    expect(answer.status).toBe(201);
    return (answer.body as { session: string }).session;
  };

  test('keep transactions, temporary tables, variables and the search path', async () => {
    const session = await open('bob', 'etl');
    const run = async (statement: string) => sql('bob', 'etl', statement, { session });
    expect((await run('BEGIN')).status).toBe(200);
    await run('INSERT INTO lineitem VALUES (7000, 1)');
    expect((await run('SELECT count(*) FROM lineitem WHERE l_orderkey = 7000')).body).toMatchObject({ rows: [[1]] });
    await run('ROLLBACK');
    expect((await run('SELECT count(*) FROM lineitem WHERE l_orderkey = 7000')).body).toMatchObject({ rows: [[0]] });
    expect((await run('CREATE TEMP TABLE mine AS SELECT 42 AS a')).status).toBe(200);
    expect((await run('SELECT a FROM mine')).body).toMatchObject({ rows: [[42]] });
    await run('SET VARIABLE v = 7');
    expect((await run("SELECT getvariable('v')")).body).toMatchObject({ rows: [[7]] });
    await run('USE main');
    expect((await run('SELECT current_schema()')).body).toMatchObject({ rows: [['main']] });
    expect((await sql('bob', 'etl', 'SELECT a FROM mine')).status).toBe(403);
  });

  test("another's session is not found, and a closed one is gone", async () => {
    const session = await open('bob', 'etl');
    expect((await sql('acme-admin', 'etl', 'SELECT 1', { session })).status).toBe(404);
    const closed = await (clients.bob as ApiClient).send('delete', `/api/session/${session}`);
    expect(closed.status).toBe(204);
    expect((await sql('bob', 'etl', 'SELECT 1', { session })).status).toBe(404);
  });
});

describe('formats and limits', () => {
  test('CSV and Arrow are streamed as asked for; anything else is 406', async () => {
    const csv = await sql('alice', 'bi', 'SELECT 1 AS a').set('Accept', 'text/csv');
    expect(csv.text).toBe('a\r\n1\r\n');
    const arrow = await sql('alice', 'bi', 'SELECT 1 AS a').set('Accept', 'application/vnd.apache.arrow.stream');
    expect(arrow.headers['content-type']).toBe('application/vnd.apache.arrow.stream');
    expect((await sql('alice', 'bi', 'SELECT 1').set('Accept', 'image/png')).status).toBe(406);
  });

  test('maxRows cuts an answer and says so', async () => {
    const answer = await sql('alice', 'bi', 'SELECT * FROM range(5000)', { maxRows: 3 });
    expect(answer.body).toMatchObject({ rows: [[0], [1], [2]], rowCount: 3, truncated: true });
  });

  test('an error of the engine is told in one line, without what it suggests', async () => {
    const answer = await sql('alice', 'bi', 'SELECT c_nme FROM customer');
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: 'sql_error',
      message: expect.stringContaining('c_nme') as string,
      queryId: expect.any(String) as string,
    });
    expect(answer.text).not.toContain('c_name');
  });
});

test('Q-L08: a text of several statements is refused whole: single_statement_required', async () => {
  const answer = await sql('bob', 'etl', 'DELETE FROM lineitem; SELECT * FROM customer');
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ error: 'single_statement_required' });
});

describe('Q-L26: refused at the handshake, in an open session too', () => {
  const openSession = async () => {
    const answer = await (clients.bob as ApiClient).post('/api/session', { tenant: 'acme', pool: 'etl' });
    return (answer.body as { session: string }).session;
  };
  test.each([
    [
      'pool',
      '/api/pool/setDisabled',
      { tenant: 'acme', tenantDb: 'tpch', pool: 'etl' },
      'disabled',
      403,
      'pool_disabled',
    ],
    ['tenant', '/api/tenant/setDisabled', { name: 'acme' }, 'disabled', 403, 'tenant_disabled'],
  ])('while the %s is disabled', async (_, path, body, flag, status, error) => {
    const session = await openSession();
    await manager.root.done(path, { ...body, [flag]: true });
    for (const more of [{}, { session }]) {
      const answer = await sql('bob', 'etl', 'SELECT 1', more);
      expect({ status: answer.status, error: (answer.body as { error: string }).error }).toEqual({ status, error });
    }
    const fresh = await (clients.bob as ApiClient).post('/api/session', { tenant: 'acme', pool: 'etl' });
    expect(fresh.status).toBe(status);
    await manager.root.done(path, { ...body, [flag]: false });
    for (const more of [{}, { session }]) expect((await sql('bob', 'etl', 'SELECT 1', more)).status).toBe(200);
  });

  test('while the user is disabled', async () => {
    await manager.root.done('/api/user/update', { id: made.users.bob, enabled: false });
    expect([401, 403]).toContain((await sql('bob', 'etl', 'SELECT 1')).status);
    await manager.root.done('/api/user/update', { id: made.users.bob, enabled: true });
    clients.bob = await manager.login('bob', 'acme');
    expect((await sql('bob', 'etl', 'SELECT 1')).status).toBe(200);
  });
});

test('hostile bodies are refused with a code, and the door stays open', async () => {
  const bodies: Record<string, unknown>[] = [
    { pool: 'bi' },
    { pool: 'bi', sql: 1 },
    { pool: 'bi', sql: 'SELECT 1', parameters: [{}] },
    { pool: 'bi', sql: 'SELECT 1', parameters: 'x' },
    { pool: 'bi', sql: 'SELECT 1', maxRows: -1 },
    { pool: 'bi', sql: 'SELECT 1', session: 's_nosuch' },
    { pool: 'bi', sql: 'SELECT 1', nonsense: true },
    { pool: "bi'; DROP TABLE pool --", sql: 'SELECT 1' },
    { pool: 'bi', sql: `SELECT '${'x'.repeat(1_100_000)}'` },
    { pool: 'bi', sql: 'SELECT 1', parameters: Array.from({ length: 100_000 }, () => 1) },
  ];
  for (const body of bodies) {
    const answer = await (clients.alice as ApiClient).post('/api/sql', { tenant: 'acme', ...body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).toMatchObject({ error: expect.any(String) as string });
  }
  expect((await sql('alice', 'bi', 'SELECT 1')).status).toBe(200);
});
