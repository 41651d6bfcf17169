import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStore } from '@gadwall/events';
import { mintHandle, statementHash } from '@gadwall/rbac';
import type { Pool } from 'pg';
import type { Authenticated } from '../apps/manager/src/auth';
import { Gate } from '../apps/manager/src/effective-set';
import { type BenchManager, KEY, startBenchManager } from './bench-manager';
import { atMost, type Figure, percentiles, report } from './figures';

const USERS = 100_000;
const ROLES = 1_000;
const PERMISSIONS = 10_000;
const SESSIONS = 10_000;
const TENANT = 'big';

/** What fills the tenant: written to the tables at once, for what is measured is reading and following it. */
const TENANT_SQL = `
  INSERT INTO role (id, tenant, name, created_at)
    SELECT gen_random_uuid(), '${TENANT}', 'role' || i, now() FROM generate_series(1, ${ROLES}) i;
  INSERT INTO role_permission (id, tenant, role_id, catalog_name, schema_name, table_name, verb, granted_at)
    SELECT gen_random_uuid(), '${TENANT}', r.id, 'lake', 'main', r.name || '_t' || i, 'RO', now()
    FROM role r, generate_series(1, ${PERMISSIONS / ROLES}) i WHERE r.tenant = '${TENANT}' AND NOT r.builtin;
  INSERT INTO app_user (id, tenant, created_at)
    SELECT gen_random_uuid(), '${TENANT}', now() FROM generate_series(1, ${USERS});
  INSERT INTO user_profile (user_id, version, tenant, username) SELECT id, 1, '${TENANT}', id::text FROM app_user WHERE tenant = '${TENANT}';
  INSERT INTO user_role (tenant, user_id, role_id)
    SELECT '${TENANT}', u.id, r.id FROM (SELECT id, row_number() OVER () n FROM app_user WHERE tenant = '${TENANT}') u
    JOIN (SELECT id, row_number() OVER () n FROM role WHERE tenant = '${TENANT}' AND NOT builtin) r ON (r.n - u.n) % ${ROLES / 10} = 0 AND r.n % 2 = u.n % 2;
  INSERT INTO pool_permission (id, tenant, user_id, granted_at)
    SELECT gen_random_uuid(), '${TENANT}', id, now() FROM app_user WHERE tenant = '${TENANT}';
  ANALYZE`;

/**
 * What an admission costs a manager: of a user who is not held yet, of one who is, after a change that touches them; and what
 * statements of the untouched take while the policy changes 20 times a second under 10,000 live sessions.
 */
export async function effectiveBench(file?: string): Promise<void> {
  const bench = await startBenchManager();
  try {
    await bench.post('/api/tenant/create', { id: TENANT });
    const initSql = 'CREATE TABLE orders AS SELECT range AS o_orderkey FROM range(1000)';
    await bench.post('/api/database/create', { tenant: TENANT, name: 'lake', kind: 'memory', initSql });
    await bench.post('/api/pool/create', { tenant: TENANT, tenantDb: 'lake', pool: 'bi', size: 1 });
    const figures = await measure(bench);
    report(
      'effective',
      { users: String(USERS), roles: String(ROLES), permissions: String(PERMISSIONS) },
      figures,
      file,
    );
  } finally {
    await bench.stop();
  }
}

async function measure(bench: BenchManager): Promise<Figure[]> {
  const { pool } = bench;
  await pool.query(TENANT_SQL);
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM app_user WHERE tenant = $2 ORDER BY id LIMIT $1', [
    SESSIONS + 500,
    TENANT,
  ]);
  const users = rows.map(({ id }) => principal(id));
  const events = bench.app.get(EventStore);
  const gate = bench.app.get(Gate);
  // The tables were filled beside the log.
  gate.forget();
  await admit(gate, users[0] as Authenticated);
  const before = process.memoryUsage().heapUsed;
  const figures: Figure[] = [];
  const cold = await timed(users.slice(1, 401), (user) => admit(gate, user));
  figures.push({ name: 'not held: one read and the closure', value: cold.p50, unit: 'ms' });
  for (const user of users.slice(0, SESSIONS)) await admit(gate, user);
  const held = users.slice(0, SESSIONS);
  const memory = (process.memoryUsage().heapUsed - before) / 1024 / SESSIONS;
  figures.push(atMost('memory of a live session', memory, 16, 'KB'));
  const resolved: number[] = [];
  for (const user of held.slice(0, 300)) {
    const { rows: edges } = await pool.query<{ role_id: string }>('SELECT role_id FROM user_role WHERE user_id = $1', [
      user.userId,
    ]);
    await grant(events, edges[0]?.role_id ?? '');
    const start = performance.now();
    await admit(gate, user);
    resolved.push(performance.now() - start);
  }
  figures.push(atMost('resolve after a change', percentiles(resolved).p50, 1, 'ms'));
  for (const user of held) await admit(gate, user);
  const roles = await pool.query<{ id: string }>('SELECT id FROM role WHERE tenant = $1 AND NOT builtin', [TENANT]);
  const change = () => grant(events, roles.rows[Math.floor(Math.random() * ROLES)]?.id ?? '');
  const idle = await whileChanging(gate, held, null);
  const busy = await whileChanging(gate, held, change);
  figures.push({ name: 'admit and mint, idle', value: idle.p50 * 1000, unit: 'us' });
  figures.push({ name: 'admit and mint under 20 changes a second', value: busy.p50 * 1000, unit: 'us' });
  figures.push(...(await statements(bench, change)));
  const reads = await readsOf(pool, change);
  figures.push(atMost('reads of the manager for a change, 10,000 sessions', reads, 1, 'reads'));
  return figures;
}

/**
 * Statements of a user whom no change touches, one after the other, in turns of a second: idle, and with a change every 50 ms
 * beside them. What else the machine does falls on both alike.
 */
async function statements({ post, url }: BenchManager, change: () => Promise<void>): Promise<Figure[]> {
  const account = { tenant: TENANT, username: 'untouched', password: KEY };
  const made = await post<{ id: string }>('/api/user/create', { ...account, roles: ['gadwall_no_tables'] });
  const { id: roleId } = await post<{ id: string }>('/api/role/create', { tenant: TENANT, name: 'untouched' });
  const table = { catalog: 'lake', schema: 'main', table: 'orders', verb: 'RO' };
  await post('/api/role/permission/grant', { roleId, ...table });
  await post('/api/membership/user-role/add', { userId: made.id, roleId });
  const { token } = await post<{ token: string }>('/api/auth/login', account);
  const run = async () => {
    const answer = await fetch(`${url}/api/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': token },
      body: JSON.stringify({ pool: 'bi', sql: 'SELECT o_orderkey FROM orders WHERE o_orderkey = 42' }),
    });
    if (answer.status !== 200) throw new Error(`the statement: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const times: Record<'idle' | 'busy', number[]> = { idle: [], busy: [] };
  for (let turn = 0; turn < 12; turn++) {
    const kind = turn % 2 === 0 ? 'idle' : 'busy';
    let going = true;
    const changes = (async () => {
      while (going && kind === 'busy') await Promise.all([change(), delay(50)]);
    })();
    for (const until = performance.now() + 1000; performance.now() < until;) {
      const start = performance.now();
      await run();
      // The first two turns warm up.
      if (turn > 1) times[kind].push(performance.now() - start);
    }
    going = false;
    await changes;
  }
  const [idle, busy] = [percentiles(times.idle), percentiles(times.busy)];
  return [
    { name: 'statement of an untouched user, idle', value: idle.p50, unit: 'ms' },
    { name: 'the same, p99', value: idle.p99, unit: 'ms' },
    atMost('under 20 changes a second / idle, p50', busy.p50 / idle.p50, 1.1, 'ratio'),
    { name: 'under 20 changes a second / idle, p99', value: busy.p99 / idle.p99, unit: 'ratio' },
  ];
}

function principal(userId: string): Authenticated {
  return { userId, username: userId, tenant: TENANT, superuser: false, admin: false, sessionId: null };
}

const key = randomBytes(32);

/** All that a manager does for a statement before it goes to the node: admit, and mint the handle. */
async function passGate1(gate: Gate, user: Authenticated): Promise<void> {
  const { binding, digest, versions } = await gate.admit(user, TENANT, 'bi');
  const statement = statementHash('SELECT o_totalprice FROM orders WHERE o_orderkey = 4242', []);
  const subject = { userId: user.userId ?? '', nodeId: 'n', tenant: TENANT, poolId: binding.poolId, timeline: '1' };
  mintHandle(key, { ...subject, setDigest: digest, versions, session: null, statement }, Date.now());
}

async function admit(gate: Gate, user: Authenticated): Promise<void> {
  await gate.admit(user, TENANT, 'bi');
}

/** One grant to a role. */
async function grant(events: EventStore, roleId: string): Promise<void> {
  const permissionId = randomUUID();
  const table = { catalog: 'lake', schema: 'main', table: permissionId, verb: 'RO' };
  const data = { permissionId, roleId, effect: 'allow', ...table };
  const context = { actor: { kind: 'system', id: null }, requestId: randomUUID() } as const;
  await events.mutate(context, [TENANT], () =>
    Promise.resolve({ events: [{ stream: TENANT, type: 'permission.granted', schema: 1, data }], result: null }),
  );
}

async function timed<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (const item of items) {
    const start = performance.now();
    await run(item);
    times.push(performance.now() - start);
  }
  return percentiles(times);
}

/** Admissions of users one after the other for some seconds, with a change every 50 ms beside them. */
async function whileChanging(gate: Gate, users: readonly Authenticated[], change: (() => Promise<void>) | null) {
  let going = true;
  const changes = (async () => {
    while (going && change) await Promise.all([change(), delay(50)]);
  })();
  const times: number[] = [];
  const until = performance.now() + 5_000;
  for (let i = 0; performance.now() < until; i++) {
    const start = performance.now();
    await passGate1(gate, users[i % users.length] as Authenticated);
    times.push(performance.now() - start);
    // A statement is more than its admission: others have their turn between two.
    if (i % 10 === 0) await delay(0);
  }
  going = false;
  await changes;
  return percentiles(times);
}

/** SELECTs that following a change costs, besides the mutation's own. */
async function readsOf(pool: Pool, change: () => Promise<void>): Promise<number> {
  const original = pool.query.bind(pool);
  let reads = 0;
  pool.query = ((...args: Parameters<typeof original>) => {
    reads++;
    return original(...args);
  }) as typeof pool.query;
  await change();
  pool.query = original;
  return reads;
}
