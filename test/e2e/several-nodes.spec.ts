import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { API_KEY, type ApiClient, startManager, type TestManager } from '../support/manager';
import { makeUser } from '../support/tenants';

interface NodeStatus {
  nodeId: string;
  status: string;
  activeStatements: number;
}
interface Pool {
  id: string;
  status: string;
  nodes: NodeStatus[];
}
const SEED = `CREATE TABLE country(code VARCHAR); INSERT INTO country VALUES ('FR'), ('DE');
  CREATE TABLE big AS SELECT a AS n, repeat('x', 200) AS filler FROM range(120000) t(a)`;
const BIG = 'SELECT n, filler FROM big';

let manager: TestManager;
let ana: ApiClient;
let poolId: string;
let roleId: string;
let permissionId: string;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 15_000, threads: 1, memoryLimit: '256MB' } });
  const { root } = manager;
  await root.done('/api/tenant/create', { id: 'acme' });
  const database = { tenant: 'acme', name: 'ref', kind: 'memory', readOnly: true, initSql: SEED };
  await root.done('/api/database/create', database);
  ({ id: poolId } = await root.done<Pool>('/api/pool/create', {
    tenant: 'acme',
    tenantDb: 'ref',
    pool: 'bi',
    size: 3,
  }));
  await root.done('/api/database/create', { tenant: 'acme', name: 'own', kind: 'memory' });
  await root.done('/api/pool/create', { tenant: 'acme', tenantDb: 'own', pool: 'etl', size: 1 });
  const userId = await makeUser(root, 'acme', 'ana', { roles: ['gadwall_no_tables'], groups: ['gadwall_no_pools'] });
  ({ id: roleId } = await root.done<{ id: string }>('/api/role/create', { tenant: 'acme', name: 'reader' }));
  permissionId = await grant();
  await root.done('/api/membership/user-role/add', { userId, roleId });
  await root.done('/api/pool/permission/grant', { tenant: 'acme', poolId, userId });
  ana = await manager.login('ana', 'acme');
  await untilReady(3);
}, 60_000);
afterAll(() => manager.stop());

const grant = async () => {
  const held = { roleId, catalog: 'ref', schema: '*', table: '*', verb: 'RO' };
  return (await manager.root.done<{ id: string }>('/api/role/permission/grant', held)).id;
};
const pool = async (): Promise<Pool> => (await manager.root.get('/api/pool/acme/ref/bi/status')).body as Pool;
const sql = (text: string, session?: string) => ana.post('/api/sql', { pool: 'bi', sql: text, session });
const openSession = async () => (await ana.post('/api/session', { pool: 'bi' })).body as { session: string };

async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await delay(50)) if (await holds()) return;
  throw new Error(`in vain waited for: ${what}`);
}

const untilReady = (count: number) =>
  until(async () => (await pool()).nodes.filter(({ status }) => status === 'ready').length === count, `${count} nodes`);

/** The processes of a database's or pool's nodes, by name. */
function processes(id: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let environment = '';
    try {
      environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    } catch {
      continue; // it has just ended
    }
    const name = new RegExp(`GADWALL_NODE_TEMP_DIR=${manager.dataDir}/spill/(${id}[^\\0]*)\\0`).exec(environment)?.[1];
    if (name) found.set(name, Number(pid));
  }
  return found;
}

/** A reader that has taken the head of a large answer, and nothing more yet. */
async function slowReader(session?: string) {
  const headers = { 'content-type': 'application/json', 'X-API-Key': API_KEY, accept: 'text/csv' };
  const body = JSON.stringify({ tenant: 'acme', pool: 'bi', sql: BIG, session });
  const answer = await fetch(`${manager.url}/api/sql`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  return { lines: async () => (await answer.text()).trim().split('\n').length, stop: () => answer.body?.cancel() };
}

const load = async () => (await pool()).nodes.map(({ activeStatements }) => activeStatements);

test('a read-only database in memory has as many nodes as the pool is large, and they answer alike', async () => {
  expect(await pool()).toMatchObject({ status: 'ready', nodes: Array(3).fill({ status: 'ready' }) });
  for (let i = 0; i < 6; i++) expect((await sql('SELECT count(*) FROM country')).body).toMatchObject({ rows: [[2]] });
});

test('statements go to the node with the least to do', async () => {
  const readers = [];
  for (let i = 0; i < 6; i++) readers.push(await slowReader());
  expect(await load()).toEqual([2, 2, 2]);
  await readers[0]?.stop();
  await until(async () => (await load()).includes(1), 'the first reader gone');
  readers.push(await slowReader());
  expect(await load()).toEqual([2, 2, 2]);
  for (const reader of readers) await reader.stop();
  await until(async () => (await load()).every((active) => active === 0), 'nothing under way');
});

test('a session stays with its node, and sessions are spread', async () => {
  const sessions = [];
  for (let i = 0; i < 6; i++) sessions.push((await openSession()).session);
  for (const [i, session] of sessions.entries()) {
    expect((await sql(`SET VARIABLE mine = ${i}`, session)).status).toBe(200);
  }
  for (let round = 0; round < 3; round++) {
    for (const [i, session] of sessions.entries()) {
      expect((await sql("SELECT getvariable('mine')", session)).body).toMatchObject({ rows: [[i]] });
    }
  }
  for (const session of sessions) await ana.send('delete', `/api/session/${session}`);
});

test('a revoke is in force on every node when its call returns', async () => {
  for (let round = 0; round < 5; round++) {
    const revoked = await manager.root.done<{ effective: boolean; policy: { nodes: { state: string }[] } }>(
      '/api/role/permission/revoke?barrier=verbose',
      { id: permissionId },
    );
    expect(revoked.effective).toBe(true);
    expect(revoked.policy.nodes.filter(({ state }) => state === 'acknowledged').length).toBeGreaterThanOrEqual(3);
    const answers = await Promise.all(Array.from({ length: 9 }, () => sql('SELECT count(*) FROM country')));
    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(403));
    permissionId = await grant();
    expect((await sql('SELECT count(*) FROM country')).status).toBe(200);
  }
});

describe('a node that is killed', () => {
  test('a query outside of sessions is answered by another; what has a session is told', async () => {
    const sessions = [];
    for (let i = 0; i < 3; i++) sessions.push((await openSession()).session);
    const statuses: number[] = [];
    let over = false;
    const readers = Array.from({ length: 6 }, async () => {
      while (!over) statuses.push((await sql('SELECT count(*) FROM country, range(20000)')).status);
    });
    await delay(200);
    const [victim = 0] = processes(poolId).values();
    process.kill(victim, 'SIGKILL');
    await delay(1_000);
    over = true;
    await Promise.all(readers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const ofSessions = await Promise.all(sessions.map(async (session) => (await sql('SELECT 1', session)).status));
    expect(ofSessions.sort()).toEqual([200, 200, 410]);
    await untilReady(3);
  }, 60_000);

  test('a change of which nothing was heard is not sent again: a retryable error says so', async () => {
    const etl = (text: string) => manager.root.post('/api/sql', { tenant: 'acme', pool: 'etl', sql: text });
    expect((await etl('CREATE TABLE t(a BIGINT)')).status).toBe(200);
    const insert = etl('INSERT INTO t SELECT a.range FROM range(100000) a, range(100000) b').then((answer) => answer);
    await delay(700);
    const own = (await manager.root.get('/api/database/list?tenant=acme')).body as {
      databases: { id: string; name: string }[];
    };
    const [victim = 0] = processes(own.databases.find(({ name }) => name === 'own')?.id ?? '').values();
    process.kill(victim, 'SIGKILL');
    const answer = await insert;
    expect({ status: answer.status, ...(answer.body as object) }).toMatchObject({
      status: 503,
      error: 'pool_unavailable',
      message: expect.stringContaining('whether a change took effect is not known') as string,
      retryable: true,
    });
    // A query sent while the node is away waits for its next life.
    expect((await etl('SELECT 1')).body).toMatchObject({ rows: [[1]] });
  }, 60_000);
});

describe('a node that is told to end', () => {
  test('lets statements and transactions come to their end, takes nothing new, and comes back', async () => {
    const readers = [];
    while ((await load()).includes(0)) readers.push(await slowReader());
    const { session } = await openSession();
    expect((await sql('BEGIN', session)).status).toBe(200);
    const before = processes(poolId);
    for (const pid of before.values()) process.kill(pid, 'SIGTERM');
    await until(async () => (await pool()).nodes.every(({ status }) => status === 'draining'), 'all draining');
    expect((await sql('SELECT count(*) FROM country', session)).body).toMatchObject({ rows: [[2]] });
    expect((await sql('COMMIT', session)).status).toBe(200);
    expect((await sql('SELECT 1', session)).status).toBe(410);
    for (const reader of readers) expect(await reader.lines()).toBe(120_001);
    // All are draining: a new statement waits for one that has come back.
    expect((await sql('SELECT count(*) FROM country')).body).toMatchObject({ rows: [[2]] });
    await untilReady(3);
    const after = [...processes(poolId).values()];
    expect(after).toHaveLength(3);
    for (const pid of before.values()) expect(after).not.toContain(pid);
  }, 60_000);

  test('nobody notices when one of several does', async () => {
    const statuses: number[] = [];
    let over = false;
    const readers = Array.from({ length: 6 }, async () => {
      while (!over) statuses.push((await sql('SELECT count(*) FROM country')).status);
    });
    for (const pid of processes(poolId).values()) {
      process.kill(pid, 'SIGTERM');
      await delay(200);
      await untilReady(3);
    }
    over = true;
    await Promise.all(readers);
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 60_000);
});

test('a pool is scaled without losing what runs, and leaves no process', async () => {
  const scale = (targetSize: number) =>
    manager.root.done('/api/pool/scale', { tenant: 'acme', tenantDb: 'ref', pool: 'bi', targetSize });
  const readers = [];
  while ((await load()).includes(0)) readers.push(await slowReader());
  await scale(1);
  await until(
    async () => (await pool()).nodes.filter(({ status }) => status === 'draining').length === 2,
    'two draining',
  );
  expect((await sql('SELECT count(*) FROM country')).status).toBe(200);
  for (const reader of readers) expect(await reader.lines()).toBe(120_001);
  await until(() => processes(poolId).size === 1, 'one process');
  await until(async () => (await pool()).nodes.length === 1, 'one node');
  await scale(2);
  await untilReady(2);
}, 60_000);
