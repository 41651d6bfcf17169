import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { EventCatalogue, POLICY_PROJECTIONS, rebuild, verify } from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import { quoteLiteral } from '@gadwall/rewriters';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { makeTenant, makeUser } from '../support/tenants';

/** See CONTRIBUTING.md. */
const extension = process.env.GADWALL_SQLITE_EXTENSION ?? '';
if (process.env.CI && extension === '') throw new Error('CI has the SQLite extension: .ci/extension.sh');

const TYPES = extension === '' ? (['duckdb'] as const) : (['duckdb', 'sqlite'] as const);

let manager: TestManager;
let folder: string;
const clients: Record<string, ApiClient> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gadwall-far-'));
  await makeFiles();
  const nodes = { start: true, drainMs: 2_000, threads: 1, memoryLimit: '512MB', sqliteExtension: extension || null };
  manager = await startManager({ nodes });
  const { root } = manager;
  await root.done('/api/tenant/create', { id: 'acme' });
  const initSql = `CREATE TABLE customer(id INT); INSERT INTO customer VALUES (1)`;
  await root.done('/api/database/create', { tenant: 'acme', name: 'lake', kind: 'memory', initSql });
  const { id: roleId } = await root.done<{ id: string }>('/api/role/create', { tenant: 'acme', name: 'reader' });
  const grant = { roleId, catalog: 'FAR', schema: 'main', table: 't', verb: 'RO' };
  await root.done('/api/role/permission/grant', grant);
  await makeUser(root, 'acme', 'fed', { roles: ['reader'] });
  await makeUser(root, 'acme', 'wild', { kind: 'admin' });
  await makeTenant(manager, 'globex');
  clients['root'] = root;
  clients['globex'] = await manager.login('boss', 'globex');
  for (const name of ['fed', 'wild']) clients[name] = await manager.login(name, 'acme');
}, 60_000);

afterAll(async () => {
  await manager.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function makeFiles(): Promise<void> {
  for (const type of TYPES) {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    if (type === 'sqlite') await connection.run(`LOAD ${quoteLiteral(extension)}`);
    const options = type === 'sqlite' ? ' (TYPE sqlite)' : '';
    await connection.run(`ATTACH ${quoteLiteral(join(folder, type))} AS far${options}`);
    await connection.run(`CREATE TABLE far.t(id INT, v VARCHAR); INSERT INTO far.t VALUES (1, 'far away');
      CREATE TABLE far.hidden(v VARCHAR); INSERT INTO far.hidden VALUES ('hidden')`);
    instance.closeSync();
  }
}

const by = (name: string): ApiClient => clients[name] as ApiClient;
const SOURCES = '/api/tenants/acme/tenant-dbs/lake/federated-sources';
const sourceOf = (sourceType: string) => ({ alias: 'far', sourceType, config: { path: join(folder, sourceType) } });
const sql = (as: string, text: string) => by(as).post('/api/sql', { tenant: 'acme', pool: 'bi', sql: text });
const rows = async (as: string, text: string) => {
  const { status, body } = await sql(as, text);
  const { rows: values, message } = body as { rows?: unknown; message?: string };
  return status === 200 ? values : message;
};
const bi = { tenant: 'acme', tenantDb: 'lake', pool: 'bi' };

describe.each(TYPES)('a %s file that a database declares as a source', (type) => {
  beforeAll(async () => {
    const made = await manager.root.post(SOURCES, { ...sourceOf(type), description: 'of the other department' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...{ tenant: 'acme', tenantDb: 'lake', alias: 'far', sourceType: type, readOnly: true },
      ...{ description: 'of the other department', config: { path: join(folder, type) }, effective: true },
    });
    await manager.root.done('/api/pool/create', { ...bi, size: 1 });
  }, 30_000);

  afterAll(async () => {
    await manager.root.done('/api/pool/delete', bi);
    expect((await manager.root.send('delete', `${SOURCES}/FAR`)).status).toBe(200);
  }, 30_000);

  test('is read by whoever is granted its alias, and by no wildcard', async () => {
    expect(await rows('fed', 'SELECT v FROM far.main.t')).toEqual([['far away']]);
    expect(await rows('fed', 'SELECT v FROM Far.t')).toEqual([['far away']]);
    expect(await rows('root', 'SELECT v FROM far.hidden')).toEqual([['hidden']]);
    expect(await rows('wild', 'SELECT count(*) FROM customer')).toEqual([[1]]);
    expect(await rows('wild', 'SELECT v FROM far.main.t')).toBe('user:wild lacks grants on far.main.t:read');
    expect(await rows('fed', 'SELECT v FROM far.main.hidden')).toBe('user:fed lacks grants on far.main.hidden:read');
    expect(await rows('fed', 'SELECT v FROM far.main.nosuch')).toBe('user:fed lacks grants on far.main.nosuch:read');
  });

  test('is changed by nobody', async () => {
    for (const text of ["INSERT INTO far.main.t VALUES (2, 'x')", 'DROP TABLE far.main.t', 'DETACH far']) {
      for (const as of ['root', 'wild', 'fed']) expect((await sql(as, text)).status).toBe(403);
    }
    expect(await rows('root', 'SELECT count(*) FROM far.main.t')).toEqual([[1]]);
  });

  test('is a superuser’s to declare; administrators see it without its path', async () => {
    const { status, body } = await by('wild').get(SOURCES);
    expect(status).toBe(200);
    expect(body).toMatchObject({ sources: [{ alias: 'far', sourceType: type, readOnly: true }] });
    expect(JSON.stringify(body)).not.toContain(folder);
    expect((await by('wild').get(`${SOURCES}/far`)).body).toMatchObject({ alias: 'far' });
    for (const answer of [
      await by('wild').post(SOURCES, { ...sourceOf(type), alias: 'more' }),
      await by('wild').send('delete', `${SOURCES}/far`),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([403, 'superuser_required']);
    }
    for (const path of [SOURCES, `${SOURCES}/far`]) {
      expect((await by('globex').get(path)).body).toMatchObject({ error: 'tenant_forbidden' });
      expect((await by('fed').get(path)).body).toMatchObject({ error: 'admin_required' });
    }
  });

  test('stays as it is while a node has it attached', async () => {
    for (const answer of [
      await manager.root.send('delete', `${SOURCES}/far`),
      await manager.root.post(SOURCES, { ...sourceOf(type), alias: 'more' }),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([409, 'invalid_source']);
      expect(answer.body.message).toContain('stop them first');
    }
    const other = { tenant: 'acme', name: 'far', kind: 'memory' };
    expect((await manager.root.post('/api/database/create', other)).status).toBe(409);
  });
});

test.each([
  ['an alias of the engine’s', { alias: 'System' }, 400],
  ['an alias that every catalog has as a schema', { alias: 'main' }, 400],
  ['a wildcard for an alias', { alias: '*' }, 400],
  ['the catalog of a database of the tenant', { alias: 'LAKE' }, 409],
  ['a path that is not absolute', { config: { path: 'far.duckdb' } }, 400],
  ['no path', { config: {} }, 400],
  ['another setting', { config: { path: '/x', password: 'p' } }, 400],
  ['a type that there is not', { sourceType: 'oracle' }, 400],
  ['one that is written to', { readOnly: false }, 400],
  ['SQL of its own', { setupSql: 'ATTACH x' }, 400],
])('%s is not taken', async (_, change, status) => {
  const answer = await manager.root.post(SOURCES, { ...sourceOf('duckdb'), ...change });
  expect([answer.status, answer.body.error]).toEqual([status, 'invalid_source']);
  expect((await manager.root.get(SOURCES)).body).toEqual({ sources: [] });
});

test('the file of a database is no source of another', async () => {
  const path = join(folder, 'own.duckdb');
  await manager.root.done('/api/database/create', { tenant: 'globex', name: 'own', dataPath: path });
  const answer = await manager.root.post(SOURCES, { alias: 'far', config: { path } });
  expect([answer.status, answer.body.error]).toEqual([409, 'path_in_use']);
});

test('a database takes its sources along, and the log gives the same tables', async () => {
  const { root } = manager;
  await root.done('/api/database/create', { tenant: 'acme', name: 'other', kind: 'memory' });
  const path = '/api/tenants/acme/tenant-dbs/Other/federated-sources';
  expect((await root.post(path, sourceOf('duckdb'))).status).toBe(201);
  await root.done('/api/database/delete', { tenant: 'acme', name: 'other' });
  expect((await root.get(path)).status).toBe(404);
  expect((await root.post(SOURCES, sourceOf('duckdb'))).status).toBe(201);
  expect((await verify(manager.db)).problems).toEqual([]);
  const catalogue = new EventCatalogue(POLICY_EVENTS);
  const { differences, tables } = await rebuild(manager.db, POLICY_PROJECTIONS, { catalogue });
  expect([differences, tables['federated_source']]).toEqual([[], 1]);
});

test('a SQLite file needs the extension, and the refusal says how to give it', async () => {
  const without = await startManager();
  try {
    await makeTenant(without, 'acme');
    const path = '/api/tenants/acme/tenant-dbs/acme_db/federated-sources';
    const answer = await without.root.post(path, { alias: 'far', sourceType: 'sqlite', config: { path: '/x' } });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_source']);
    expect(answer.body.message).toContain('GADWALL_NODE_SQLITE_EXTENSION');
  } finally {
    await without.stop();
  }
});
