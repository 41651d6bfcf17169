import { EventCatalogue, listEvents, POLICY_PROJECTIONS, rebuild, verify } from '@gadwall/events';
import { mintHandle, POLICY_EVENTS, policyBindingHash } from '@gadwall/rbac';
import { Writable } from 'node:stream';
import { Gate, type PoolBinding } from '../../apps/manager/src/effective-set';
import { NodeFleet, type NodeLink } from '../../apps/manager/src/nodes';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { makeUser } from '../support/tenants';
import { type Workshop, workedExamples } from '../support/worked-examples';

let manager: TestManager;
let made: Workshop;
const clients: Record<string, ApiClient> = {};
/** Of all managers of this process: the first one's logger is everybody's. */
const lines: string[] = [];
const destination = new Writable({
  write(chunk: Buffer, _, done) {
    lines.push(chunk.toString());
    done();
  },
});
const by = (name: string): ApiClient => clients[name] as ApiClient;

beforeAll(async () => {
  const nodes = { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' };
  manager = await startManager({ nodes, log: { level: 'warn', pretty: false, destination } });
  made = await workedExamples(manager);
  const { root } = manager;
  clients.root = root;
  for (const name of ['alice', 'acme-admin']) clients[name] = await manager.login(name, 'acme');
  // An admin who reads orders alone.
  const { id: clerk } = await root.done<{ id: string }>('/api/role/create', { tenant: 'acme', name: 'clerk' });
  made.roles.clerk = clerk;
  const orders = { catalog: 'acme_tpch', schema: 'tpch1', table: 'orders', verb: 'RO' };
  await root.done('/api/role/permission/grant', { roleId: clerk, ...orders });
  await makeUser(root, 'acme', 'weak', { kind: 'admin', roles: ['clerk'], groups: ['gadwall_no_pools'] });
  clients.weak = await manager.login('weak', 'acme');
  // The node is there, so that policies are tried on its tables.
  expect((await sql('root', 'CREATE VIEW vips AS SELECT * FROM customer')).status).toBe(200);
}, 60_000);

afterAll(() => manager.stop());

const sql = (as: string, text: string) => by(as).post('/api/sql', { tenant: 'acme', pool: 'bi', sql: text });
const CUSTOMER = { catalogName: 'acme_tpch', schemaName: 'tpch1', tableName: 'customer' };
const mask = (more: Record<string, unknown> = {}) => ({
  ...{ roleId: made.roles.analyst, ...CUSTOMER, columnName: 'c_phone', action: 'mask', transformSql: "'***'" },
  ...more,
});
const rows = (more: Record<string, unknown> = {}) => ({
  ...{ roleId: made.roles.analyst, ...CUSTOMER, predicateSql: "c_mktsegment = 'BUILDING'" },
  ...more,
});
const columnPolicy = (verb: string, body: Record<string, unknown>, as = 'root') =>
  by(as).post(`/api/role/column-policy/${verb}`, body);
const rowPolicy = (verb: string, body: Record<string, unknown>, as = 'root') =>
  by(as).post(`/api/role/row-policy/${verb}`, body);
const listed = async (kind: 'column' | 'row', as = 'root', roleId = made.roles.analyst) =>
  ((await by(as).get(`/api/role/${kind}-policy/list?roleId=${roleId}`)).body as { policies: Record<string, unknown>[] })
    .policies;
const fault = async (answer: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await answer;
  const { error, message } = body as { error: string; message: string };
  return [status, error, message];
};

async function withoutPolicies(): Promise<void> {
  for (const roleId of [made.roles.analyst, made.roles.clerk, made.roles.etl]) {
    for (const { id } of await listed('column', 'root', roleId)) await columnPolicy('delete', { id });
    for (const { id } of await listed('row', 'root', roleId)) await rowPolicy('delete', { id });
  }
}
afterEach(withoutPolicies);

describe('a column policy', () => {
  test('is made, replaced in its place, changed, listed and deleted, each in force when the call returns', async () => {
    const created = await columnPolicy('create', mask());
    const { id } = created.body as { id: string };
    expect([created.status, created.body]).toEqual([200, { id, ...mask(), warnings: [], effective: true }]);
    expect(created.headers['gadwall-policy-version']).toMatch(/^tenant=\d+, system=\d+$/);
    expect(await listed('column')).toEqual([{ id, ...mask() }]);

    const deny = { columnName: 'C_PHONE', action: 'deny', transformSql: null };
    const { body } = await columnPolicy('create', mask({ ...deny, catalogName: 'ACME_TPCH' }));
    const { transformSql: _, ...denied } = mask({ action: 'deny' });
    expect(body).toEqual({ id, ...denied, warnings: [], effective: true });

    const changed = await columnPolicy('update', { id, action: 'mask', transformSql: 'left(c_phone, 3) -- kept' });
    expect(changed.body).toMatchObject({ id, action: 'mask', transformSql: 'left(c_phone, 3) -- kept' });
    expect((await columnPolicy('delete', { id })).body).toEqual({ effective: true });
    expect(await listed('column')).toEqual([]);
    expect((await columnPolicy('delete', { id })).status).toBe(404);
    expect((await columnPolicy('update', { id, action: 'deny' })).status).toBe(404);
  });

  test('goes with its role', async () => {
    const { id: roleId } = await manager.root.done<{ id: string }>('/api/role/create', {
      tenant: 'acme',
      name: 'gone',
    });
    await columnPolicy('create', mask({ roleId }));
    await rowPolicy('create', rows({ roleId }));
    await manager.root.done('/api/role/delete', { id: roleId });
    const { rows: left } = await manager.db.query(
      'SELECT 1 FROM role_column_policy WHERE role_id = $1 UNION ALL SELECT 1 FROM role_row_policy WHERE role_id = $1',
      [roleId],
    );
    expect(left).toEqual([]);
  });

  test('says which other role masks the column otherwise', async () => {
    await columnPolicy('create', mask({ roleId: made.roles.clerk, tableName: '*', transformSql: 'NULL' }));
    const { body } = await columnPolicy('create', mask());
    expect((body as { warnings: string[] }).warnings).toEqual([
      'role clerk masks c_phone of acme_tpch.tpch1.customer otherwise: who holds it and role analyst sees NULL there',
    ]);
    const { id } = body as { id: string };
    expect((await columnPolicy('update', { id, action: 'mask', transformSql: 'null' })).body).toMatchObject({
      warnings: [],
    });
  });

  test.each([
    ['a column that the table lacks', { columnName: 'nope', transformSql: 'NULL' }, 'the table has no column nope'],
    ['every column', { columnName: '*' }, 'the name of one column, no *'],
    ['another column', { transformSql: 'c_name' }, 'a mask reads its own column c_phone only, not c_name'],
    ['an expression that fits no text', { transformSql: 'c_phone + c_phone * 2' }, 'does not fit the columns'],
    ['a view', { tableName: 'vips' }, 'this is a view'],
    ['a subquery', { transformSql: '(SELECT 1)' }, 'a policy holds no subquery'],
    ['a function that is not pure', { transformSql: 'random()' }, 'a policy does not call random()'],
    ['two expressions', { transformSql: "'a', 'b'" }, 'one scalar expression'],
    ['a mask without one', { transformSql: null }, 'a mask needs transformSql'],
    ['a denial with one', { action: 'deny' }, 'has no transformSql'],
    ['another action', { action: 'hide' }, 'action must be deny or mask'],
    ['too long a text', { transformSql: `'${'x'.repeat(1100)}'` }, 'at most 1024 characters'],
  ])('is refused for %s', async (_, more, words) => {
    expect(await fault(columnPolicy('create', mask(more)))).toEqual([
      400,
      'invalid_policy',
      expect.stringContaining(words),
    ]);
    expect(await listed('column')).toEqual([]);
  });

  test('is taken for a table that is not there, and for a column of another type', async () => {
    expect((await columnPolicy('create', mask({ tableName: 'to_come' }))).status).toBe(200);
    expect((await columnPolicy('create', mask({ columnName: 'c_custkey', transformSql: "'x'" }))).status).toBe(200);
    expect(
      (await columnPolicy('create', mask({ columnName: 'c_name', action: 'deny', transformSql: null }))).status,
    ).toBe(200);
  });
});

describe('a row policy', () => {
  test('is made, replaced in its place, changed, listed and deleted', async () => {
    const created = await rowPolicy('create', rows());
    const { id } = created.body as { id: string };
    expect([created.status, created.body]).toEqual([200, { id, ...rows(), warnings: [], effective: true }]);
    const predicateSql = 'c_name IN (${roles}) OR c_name = ${claims.name}';
    expect((await rowPolicy('create', rows({ predicateSql }))).body).toMatchObject({ id, predicateSql });
    expect((await rowPolicy('update', { id, predicateSql: 'c_custkey = 1' })).body).toMatchObject({ id });
    expect(await listed('row')).toEqual([{ id, ...rows({ predicateSql: 'c_custkey = 1' }) }]);
    expect((await rowPolicy('delete', { id })).body).toEqual({ effective: true });
    expect(await listed('row')).toEqual([]);
  });

  test.each([
    ['another type than BOOLEAN', 'c_custkey + 1', 'true or false'],
    ['a column that the table lacks', 'nope = 1', 'the table has no column nope'],
    ['types that a function does not take', 'length(c_custkey) = 1', 'does not fit the columns'],
    ['a subquery', 'EXISTS (SELECT 1)', 'a policy holds no subquery'],
    ['an unknown token', 'c_name = ${password}', '${password} is no identity token'],
    ['a parameter', 'c_name = $1', '$1 is a parameter'],
    ['two statements', '1 = 1; DROP TABLE customer', 'no ";"'],
    ['nothing', '', 'there is no expression'],
  ])('is refused for %s', async (_, predicateSql, words) => {
    expect(await fault(rowPolicy('create', rows({ predicateSql })))).toEqual([
      400,
      'invalid_policy',
      expect.stringContaining(words),
    ]);
    expect(await listed('row')).toEqual([]);
  });

  test('that breaks a rule does not take the place of one that is there', async () => {
    const { body } = await rowPolicy('create', rows());
    const { id } = body as { id: string };
    expect((await rowPolicy('update', { id, predicateSql: 'nope' })).status).toBe(400);
    expect(await listed('row')).toEqual([{ id, ...rows() }]);
  });
});

describe('invariant 10: an admin who does not read the table without restriction', () => {
  test('makes, changes and deletes no policy of it, and learns nothing of it by trying', async () => {
    const { body } = await rowPolicy('create', rows());
    const { id } = body as { id: string };
    const refused = [403, 'grant_not_held', expect.stringContaining('acme_tpch.tpch1.customer')];
    expect(await fault(rowPolicy('create', rows({ roleId: made.roles.etl }), 'weak'))).toEqual(refused);
    expect(await fault(rowPolicy('create', rows({ predicateSql: 'nope = 1' }), 'weak'))).toEqual(refused);
    expect(await fault(columnPolicy('create', mask({ columnName: 'nope', transformSql: 'NULL' }), 'weak'))).toEqual(
      refused,
    );
    expect(await fault(rowPolicy('update', { id, predicateSql: 'c_custkey = 1' }, 'weak'))).toEqual(refused);
    expect(await fault(rowPolicy('delete', { id }, 'weak'))).toEqual(refused);
    expect(await fault(rowPolicy('create', rows({ tableName: '*' }), 'weak'))).toEqual([
      403,
      'grant_not_held',
      expect.any(String),
    ]);
    expect(
      (await rowPolicy('create', rows({ tableName: 'orders', predicateSql: 'o_orderkey = 1' }), 'weak')).status,
    ).toBe(200);
  });

  test('takes from nobody the role that restricts them', async () => {
    const { id: hider } = await manager.root.done<{ id: string }>('/api/role/create', {
      tenant: 'acme',
      name: 'hider',
    });
    await columnPolicy('create', mask({ roleId: hider }));
    const edge = { userId: made.users.alice, roleId: hider };
    await manager.root.done('/api/membership/user-role/add', edge);
    const remove = (as: string) => by(as).post('/api/membership/user-role/remove', edge);
    expect(await fault(remove('weak'))).toEqual([403, 'grant_not_held', expect.any(String)]);
    expect(await fault(by('weak').post('/api/role/delete', { id: hider }))).toEqual([
      403,
      'grant_not_held',
      expect.any(String),
    ]);
    expect((await remove('acme-admin')).status).toBe(200);
    await manager.root.done('/api/role/delete', { id: hider });
  });
});

test('what a user is under is told with the roles, and where masks contradict each other', async () => {
  await rowPolicy('create', rows());
  await columnPolicy('create', mask());
  await columnPolicy('create', mask({ roleId: made.roles.clerk, schemaName: '*', transformSql: 'NULL' }));
  const edge = { userId: made.users.alice, roleId: made.roles.clerk };
  await manager.root.done('/api/membership/user-role/add', edge);
  const { body } = await manager.root.get(`/api/user/${made.users.alice}/effective`);
  const { transformSql, ...masked } = mask();
  expect(body).toMatchObject({
    columnPolicies: [
      { ...masked, transformSql, role: 'analyst', via: [{ role: 'analyst' }] },
      { roleId: made.roles.clerk, role: 'clerk', schemaName: '*', transformSql: 'NULL', via: [{ role: 'clerk' }] },
    ],
    rowPolicies: [{ ...rows(), role: 'analyst', via: [{ role: 'analyst' }] }],
    conflicts: [
      { catalog: 'acme_tpch', schema: 'tpch1', table: 'customer', column: 'c_phone', roles: ['analyst', 'clerk'] },
    ],
  });
  await manager.root.done('/api/membership/user-role/remove', edge);
});

test('tenants do not meet: a policy of another one is not there', async () => {
  await makeUser(manager.root, 'globex', 'gus', { kind: 'admin' });
  const gus = await manager.login('gus', 'globex');
  const { body } = await columnPolicy('create', mask());
  const { id } = body as { id: string };
  expect((await gus.post('/api/role/column-policy/create', mask())).status).toBe(404);
  expect((await gus.post('/api/role/column-policy/update', { id, action: 'deny' })).status).toBe(404);
  expect((await gus.post('/api/role/column-policy/delete', { id })).status).toBe(404);
  expect((await gus.get(`/api/role/row-policy/list?roleId=${made.roles.analyst}`)).status).toBe(404);
  expect((await by('alice').get(`/api/role/row-policy/list?roleId=${made.roles.analyst}`)).status).toBe(403);
});

test('a node says nothing of a policy that no manager vouches for', async () => {
  const binding = await manager.app.get(Gate).binding('acme', 'bi');
  const link = manager.app.get(NodeFleet).runningLink(binding as PoolBinding) as NodeLink;
  const table = { catalog: 'acme_tpch', schema: 'tpch1', name: 'customer' };
  const policy = { table, masked: null, expression: null, relation: 'r', columns: ['c_name'] };
  const handle = mintHandle(
    link.key,
    {
      ...{ userId: 'api-key', nodeId: link.nodeId, tenant: 'acme', poolId: made.pools.bi ?? '', setDigest: '' },
      ...{ versions: { tenant: 1e9, system: 1e9 }, timeline: '', session: null },
      statement: policyBindingHash(policy),
    },
    Date.now(),
  );
  const status = async (body: unknown) => (await link.post('/internal/policy/bind', body)).statusCode;
  for (const body of [{}, { policy }, { policy: {} }, { handle, policy: {} }, { handle: 'x.y', policy }])
    expect(await status(body)).toBe(401);
  // A handle is good for the policy that it was minted for, and for no other.
  expect(await status({ handle, policy: { ...policy, columns: [] } })).toBe(401);
});

test('SQL administers the same policies', async () => {
  const run = async (text: string, as = 'acme-admin') => {
    const { status, body } = await sql(as, text);
    return status === 200 ? (body as { rows: unknown }).rows : [status, (body as { message: string }).message];
  };
  const on = 'acme_tpch.tpch1.customer';
  expect(await run(`CREATE ROW POLICY ON ${on} FOR ROLE analyst USING (c_name = \${user} OR c_custkey < 3)`)).toEqual([
    ['ok', `row policy of role analyst on ${on} created`],
  ]);
  expect(await run(`CREATE COLUMN POLICY ON ${on} COLUMN c_phone FOR ROLE analyst MASK USING ('***')`)).toEqual([
    ['ok', `column policy of role analyst on ${on}, column c_phone, created`],
  ]);
  expect(await run(`CREATE COLUMN POLICY ON ${on} COLUMN c_phone FOR ROLE analyst DENY`)).toEqual([
    409,
    expect.stringContaining('CREATE OR REPLACE'),
  ]);
  expect(await listed('column')).toMatchObject([{ ...CUSTOMER, columnName: 'c_phone', transformSql: "'***'" }]);
  expect(await listed('row')).toMatchObject([{ predicateSql: 'c_name = ${user} OR c_custkey < 3' }]);
  expect(await run('SHOW ROW POLICIES')).toEqual([
    ['analyst', 'acme_tpch', 'tpch1', 'customer', 'c_name = ${user} OR c_custkey < 3'],
  ]);
  expect(await run(`CREATE OR REPLACE COLUMN POLICY ON ${on} COLUMN c_phone FOR ROLE analyst DENY`)).toEqual([
    ['ok', `column policy of role analyst on ${on}, column c_phone, changed`],
  ]);
  expect(await run('SHOW COLUMN POLICIES FOR ROLE analyst')).toEqual([
    ['analyst', 'acme_tpch', 'tpch1', 'customer', 'c_phone', 'deny', null],
  ]);
  expect(await run(`CREATE OR REPLACE ROW POLICY ON ${on} FOR ROLE analyst USING (nope)`)).toEqual([
    400,
    'the table has no column nope',
  ]);
  expect(await run(`CREATE ROW POLICY ON ${on} FOR ROLE clerk USING (true)`, 'weak')).toEqual([
    403,
    expect.any(String),
  ]);
  expect(await run(`DROP ROW POLICY ON ${on} FOR ROLE analyst`)).toEqual([
    ['ok', `row policy of role analyst on ${on} dropped`],
  ]);
  expect(await run(`DROP ROW POLICY IF EXISTS ON ${on} FOR ROLE analyst`)).toEqual([['ok', 'nothing to change']]);
  expect([await listed('row'), (await listed('column')).length]).toEqual([[], 1]);
});

describe('the kill switches', () => {
  const admitted = async (at: TestManager) => {
    const principal = { userId: made.users.alice as string, username: 'alice', tenant: 'acme' };
    const who = { ...principal, admin: false, superuser: false, sessionId: null };
    return (await at.app.get(Gate).admit(who, 'acme', 'bi')).set;
  };

  test('leave policies out of every set, are told in the log, in /ready and in the audit', async () => {
    await columnPolicy('create', mask());
    await rowPolicy('create', rows());
    expect(await admitted(manager)).toMatchObject({ columnPolicies: [{}], rowPolicies: [{}] });
    const off = await startManager({ policies: { columnPolicies: false, rowPolicies: true } }, manager.database);
    try {
      expect(await admitted(off)).toMatchObject({ columnPolicies: [], rowPolicies: [{}] });
      expect((await off.anonymous.get('/ready')).body).toEqual({ status: 'ready', off: ['column policies'] });
      expect(lines.join('')).toContain('COLUMN POLICIES ARE OFF');
    } finally {
      await off.stop();
    }
    const { rows: told } = await manager.db.query("SELECT detail FROM audit WHERE action = 'policies.off'");
    expect(told).toEqual([{ detail: { columnPolicies: false, rowPolicies: true } }]);
    expect((await manager.anonymous.get('/ready')).body).toEqual({ status: 'ready' });
  });
});

test('the log tells of policies, proves itself, and gives the same tables again', async () => {
  await rowPolicy('create', rows());
  await columnPolicy('create', mask());
  const catalogue = new EventCatalogue(POLICY_EVENTS);
  const events = await listEvents(manager.db, { stream: 'acme' }, 1000);
  const types = new Set(events.map(({ type }) => type).filter((type) => /^(column|row)-policy/.test(type)));
  expect([...types].sort()).toEqual([
    ...['column-policy.changed', 'column-policy.created', 'column-policy.deleted'],
    ...['row-policy.changed', 'row-policy.created', 'row-policy.deleted'],
  ]);
  const { differences, tables } = await rebuild(manager.db, POLICY_PROJECTIONS, { catalogue });
  expect(differences).toEqual([]);
  expect([tables['role_column_policy'], tables['role_row_policy']]).toEqual([1, 1]);
  expect((await verify(manager.db)).problems).toEqual([]);
});
