import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '@gadwall/database';
import { EventCatalogue, EventStore, POLICY_PROJECTIONS, queryable } from '@gadwall/events';
import { mintHandle, POLICY_EVENTS, statementHash } from '@gadwall/rbac';
import type { Pool } from 'pg';
import type { Authenticated } from '../apps/manager/src/auth';
import { Gate } from '../apps/manager/src/effective-set/gate';
import { PolicyMirror } from '../apps/manager/src/effective-set/policy-mirror';
import { atMost, Figure, percentiles, report } from './figures';

const USERS = 100_000;
const ROLES = 1_000;
const PERMISSIONS = 10_000;
const SESSIONS = 10_000;
const TENANT = 'big';

/** The tenant of the issue: written to the tables at once, for what is measured is reading and following it. */
const TENANT_SQL = `
  INSERT INTO stream (tenant, version) VALUES ('$system', 0), ('${TENANT}', 0) ON CONFLICT DO NOTHING;
  INSERT INTO tenant (id, display_name, created_at) VALUES ('${TENANT}', '', now());
  INSERT INTO tenant_db (id, tenant, name, kind, default_database, default_schema, created_at)
    VALUES (gen_random_uuid(), '${TENANT}', 'db', 'memory', 'lake', 'main', now());
  INSERT INTO pool (id, tenant, tenant_db_id, name, created_at)
    SELECT gen_random_uuid(), '${TENANT}', id, 'bi', now() FROM tenant_db;
  INSERT INTO role (id, tenant, name, created_at)
    SELECT gen_random_uuid(), '${TENANT}', 'role' || i, now() FROM generate_series(1, ${ROLES}) i;
  INSERT INTO role_permission (id, tenant, role_id, catalog_name, schema_name, table_name, verb, granted_at)
    SELECT gen_random_uuid(), '${TENANT}', r.id, 'lake', 'main', r.name || '_t' || i, 'RO', now()
    FROM role r, generate_series(1, ${PERMISSIONS / ROLES}) i;
  INSERT INTO app_user (id, tenant, created_at)
    SELECT gen_random_uuid(), '${TENANT}', now() FROM generate_series(1, ${USERS});
  INSERT INTO user_profile (user_id, version, tenant, username) SELECT id, 1, '${TENANT}', id::text FROM app_user;
  INSERT INTO user_role (tenant, user_id, role_id)
    SELECT '${TENANT}', u.id, r.id FROM (SELECT id, row_number() OVER () n FROM app_user) u
    JOIN (SELECT id, row_number() OVER () n FROM role) r ON (r.n - u.n) % ${ROLES / 10} = 0 AND r.n % 2 = u.n % 2;
  INSERT INTO pool_permission (id, tenant, user_id, granted_at)
    SELECT gen_random_uuid(), '${TENANT}', id, now() FROM app_user;
  ANALYZE`;

/**
 * What an admission costs a manager: of a user who is not held yet, of one who is, after a change that touches them, and
 * of the untouched while the policy changes 20 times a second under 10,000 live sessions.
 */
export async function effectiveBench(file?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-bench-'));
  const database = await openDatabase({ dataDir: folder, disposable: true });
  try {
    const figures = await measure(database.pool);
    report(
      'effective',
      { users: String(USERS), roles: String(ROLES), permissions: String(PERMISSIONS) },
      figures,
      file,
    );
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(pool: Pool): Promise<Figure[]> {
  await pool.query(TENANT_SQL);
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM app_user ORDER BY id LIMIT $1', [SESSIONS + 500]);
  const users = rows.map(({ id }) => principal(id));
  const events = new EventStore(pool, POLICY_PROJECTIONS, { catalogue: new EventCatalogue(POLICY_EVENTS) });
  const db = queryable(pool);
  const gate = new Gate(db, new PolicyMirror(db, events));
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
    await grant(events, pool, edges[0]?.role_id);
    const start = performance.now();
    await admit(gate, user);
    resolved.push(performance.now() - start);
  }
  figures.push(atMost('resolve after a change', percentiles(resolved).p50, 1, 'ms'));
  for (const user of held) await admit(gate, user);
  const idle = await whileChanging(gate, held, null);
  const busy = await whileChanging(gate, held, () => grant(events, pool));
  figures.push({ name: 'admit and mint, idle', value: idle.p50 * 1000, unit: 'us' });
  figures.push(atMost('admit and mint under 20 changes a second / idle', busy.p50 / idle.p50, 1.1, 'ratio'));
  const reads = await readsOf(pool, () => grant(events, pool));
  figures.push(atMost('reads of the manager for a change, 10,000 sessions', reads, 1, 'reads'));
  return figures;
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

/** One grant to a role, any of the thousand unless it is named. */
async function grant(events: EventStore, pool: Pool, named?: string): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM role ORDER BY random() LIMIT 1');
  const roleId = named ?? rows[0]?.id ?? '';
  const permissionId = randomUUID();
  const data = {
    permissionId,
    roleId,
    effect: 'allow',
    catalog: 'lake',
    schema: 'main',
    table: permissionId,
    verb: 'RO',
  };
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
  // One is the bench's own, for a role.
  return reads - 1;
}
