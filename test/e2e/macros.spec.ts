import { EventCatalogue, listEvents, POLICY_PROJECTIONS, rebuild, verify } from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { makeTenant } from '../support/tenants';
import { workedExamples } from '../support/worked-examples';

let manager: TestManager;
const clients: Record<string, ApiClient> = {};

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  await workedExamples(manager);
  clients['root'] = manager.root;
  for (const name of ['alice', 'acme-admin']) clients[name] = await manager.login(name, 'acme');
  for (const statement of [
    'CREATE MACRO net(x) AS x * 2',
    'CREATE MACRO ordered() AS (SELECT count(*) FROM orders)',
    'CREATE MACRO loaded() AS (SELECT count(*) FROM lineitem)',
  ]) {
    expect((await sql('root', statement)).status).toBe(200);
  }
}, 60_000);

afterAll(() => manager.stop());

const MACRO = { tenant: 'acme', catalog: 'acme_tpch', schema: 'tpch1', name: 'net' };

const by = (name: string): ApiClient => clients[name] as ApiClient;
const sql = (as: string, statement: string) => by(as).post('/api/sql', { tenant: 'acme', pool: 'bi', sql: statement });
const rows = async (as: string, statement: string) => {
  const { status, body } = await sql(as, statement);
  const { rows: values, message } = body as { rows?: unknown; message?: string };
  return status === 200 ? values : message;
};
const admit = async (name: string): Promise<string> => {
  const { status, body } = await manager.root.post('/api/macro/admit', { ...MACRO, name });
  expect(status).toBe(201);
  return (body as { id: string }).id;
};
const withdraw = (id: string) =>
  manager.root.done<{ effective: boolean }>('/api/macro/withdraw', { tenant: 'acme', id });
const listed = async (as: string) =>
  ((await by(as).get('/api/macro/list?tenant=acme')).body as { macros: { name: string }[] }).macros;

test('a macro may be called when the call that admits it returns, and no more when the one that withdraws it does', async () => {
  expect(await rows('alice', 'SELECT net(21)')).toBe('function net is not classified');
  for (let round = 0; round < 5; round++) {
    const answer = await manager.root.post('/api/macro/admit', MACRO);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ id: expect.any(String) as string, ...MACRO, effective: true });
    expect(answer.headers['gadwall-policy-version']).toEqual(expect.any(String));
    expect(await rows('alice', 'SELECT net(21)')).toEqual([[42]]);
    expect(await withdraw((answer.body as { id: string }).id)).toEqual({ effective: true });
    expect(await rows('alice', 'SELECT net(21)')).toBe('function net is not classified');
    expect(await rows('alice', 'SELECT nosuch(21)')).toBe('function nosuch is not classified');
  }
});

test('a macro that is admitted gives the grants of nobody', async () => {
  const ids = [await admit('ordered'), await admit('loaded')];
  expect(await rows('alice', 'SELECT ordered()')).toEqual([[20]]);
  const refused = await sql('alice', 'SELECT loaded()');
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({
    error: 'access_denied',
    message: 'user:alice lacks grants on acme_tpch.tpch1.loaded:read',
    hint: 'an administrator can grant what the macro loaded reads to a role of yours',
  });
  expect(JSON.stringify(refused.body)).not.toContain('lineitem');
  for (const id of ids) await withdraw(id);
});

test('admitting what is admitted gives the same id and no event', async () => {
  const id = await admit('net');
  const events = async () => (await manager.db.query("SELECT 1 FROM event WHERE type LIKE 'macro.%'")).rowCount;
  const before = await events();
  expect(await admit('NET')).toBe(id);
  expect(await events()).toBe(before);
  await withdraw(id);
  expect((await manager.root.post('/api/macro/withdraw', { tenant: 'acme', id })).status).toBe(404);
});

test('administrators of the tenant see what is admitted, and change nothing; the attempt is on record', async () => {
  const id = await admit('net');
  expect(await listed('acme-admin')).toEqual([{ id, ...MACRO }]);
  for (const [path, body] of [
    ['admit', { ...MACRO, name: 'ordered' }],
    ['withdraw', { tenant: 'acme', id }],
  ] as const) {
    const answer = await by('acme-admin').post(`/api/macro/${path}`, body);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: 'superuser_required' });
  }
  expect(await listed('root')).toEqual([{ id, ...MACRO }]);
  const { rowCount } = await manager.db.query(
    `SELECT 1 FROM audit WHERE action = 'mutation.refused' AND detail->>'code' = 'superuser_required'`,
  );
  expect(rowCount).toBe(2);
  expect((await by('alice').get('/api/macro/list?tenant=acme')).body).toMatchObject({ error: 'admin_required' });
  await withdraw(id);
});

test.each([
  ['a catalog of no database', { catalog: 'nowhere' }, 400, 'invalid_macro'],
  ['every macro', { name: '*' }, 400, 'invalid_macro'],
  ['no name', { name: '' }, 400, 'invalid_macro'],
  ['a tenant that there is not', { tenant: 'nowhere' }, 404, 'not_found'],
  ['an unknown field', { extra: 1 }, 400, 'invalid_request'],
])('%s is not admitted', async (_, change, status, error) => {
  const answer = await manager.root.post('/api/macro/admit', { ...MACRO, ...change });
  expect([answer.status, answer.body.error]).toEqual([status, error]);
  expect(await listed('root')).toEqual([]);
});

test('a macro of another tenant is not there', async () => {
  const { database } = await makeTenant(manager, 'third');
  const made = await manager.root.post('/api/macro/admit', {
    tenant: 'third',
    catalog: database,
    schema: 'main',
    name: 'net',
  });
  const { id } = made.body as { id: string };
  expect((await manager.root.post('/api/macro/withdraw', { tenant: 'acme', id })).status).toBe(404);
  expect(await listed('root')).toEqual([]);
  expect(await rows('alice', 'SELECT net(21)')).toBe('function net is not classified');
});

test('the log has it all, and gives the same tables', async () => {
  const withdrawn = await listEvents(manager.db, { stream: 'acme', type: 'macro.withdrawn' }, 100);
  const admitted = await listEvents(manager.db, { stream: 'acme', type: 'macro.admitted' }, 100);
  expect(admitted.length).toBeGreaterThan(8);
  expect(withdrawn.map(({ data }) => data.macroId)).toEqual(admitted.map(({ data }) => data.macroId));
  expect((await verify(manager.db)).problems).toEqual([]);
  const catalogue = new EventCatalogue(POLICY_EVENTS);
  const { differences, tables } = await rebuild(manager.db, POLICY_PROJECTIONS, { catalogue });
  expect(differences).toEqual([]);
  expect(tables['admitted_macro']).toBe(1);
});
