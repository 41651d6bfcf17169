import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '@gadwall/database';
import { EventCatalogue, EventStore, POLICY_PROJECTIONS, rebuild, verify, type NewEvent } from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import type { Pool } from 'pg';
import { seeded } from './chance';
import { atMost, printTable, report, type Figure } from './figures';
import { BIG_TENANT, MIXTURE } from './policy-mixture';
import { PolicyHistory } from './policy-history';

const SECONDS_TO_REBUILD = 60;
const APPEND_ROUNDS = 5;
const APPEND_ROUND_MS = 1000;
const STREAMS = 8;
const CONTEXT = { actor: { kind: 'system', id: null }, requestId: 'bench' } as const;

const catalogue = new EventCatalogue(POLICY_EVENTS);

/**
 * The log: appends a second against bare transactions of one INSERT, and replay and proof of a log of so many events against
 * a bare read of it.
 */
export async function eventsBench(events: number, file?: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gadwall-bench-'));
  // With a disk to wait for: that is most of what a commit costs.
  const database = await openDatabase({ dataDir });
  try {
    const figures = await measureAppend(database.pool);
    await makeLog(database.pool, events);
    figures.push(...(await measureReplay(database)));
    report('events', { events: String(events), postgres: await versionOf(database.pool) }, figures, file);
  } finally {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function versionOf(pool: Pool): Promise<string> {
  return (await pool.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version ?? '';
}

/** Mutations of one event each, alone and on several streams at once, with the bare transactions in turn. */
async function measureAppend(pool: Pool): Promise<Figure[]> {
  const store = new EventStore(pool, POLICY_PROJECTIONS, { catalogue });
  const roles = await Promise.all(Array.from({ length: STREAMS }, (_, i) => tenantWithRole(store, `append${i}`)));
  await pool.query('CREATE TABLE bare (id uuid PRIMARY KEY, data text NOT NULL)');
  const ways: [string, number, (worker: number) => Promise<unknown>][] = [
    ['bare transaction, 1 at a time', 1, () => bareTransaction(pool)],
    ['mutation, 1 stream', 1, (worker) => grant(store, `append${worker}`, roles[worker] ?? '')],
    [`bare transaction, ${STREAMS} at a time`, STREAMS, () => bareTransaction(pool)],
    [`mutation, ${STREAMS} streams`, STREAMS, (worker) => grant(store, `append${worker}`, roles[worker] ?? '')],
  ];
  const done = ways.map(() => 0);
  for (let round = 0; round <= APPEND_ROUNDS; round++) {
    for (const [i, [, workers, run]] of ways.entries()) {
      const count = await countFor(workers, run);
      if (round > 0) done[i] = (done[i] ?? 0) + count; // the first warms up
    }
  }
  await pool.query('DROP TABLE bare');
  const rates = done.map((count) => (count * 1000) / (APPEND_ROUNDS * APPEND_ROUND_MS));
  printTable(
    ['a second', ''],
    ways.map(([name], i) => [name, (rates[i] ?? 0).toFixed(0)]),
  );
  const [bare, one, bareMany, many] = rates as [number, number, number, number];
  return [
    ...ways.map(([name], i) => ({ name, value: rates[i] ?? 0, unit: '1/s' })),
    { name: 'time of a mutation / bare transaction, 1 stream', value: bare / one, unit: 'ratio' },
    { name: `time of a mutation / bare transaction, ${STREAMS} streams`, value: bareMany / many, unit: 'ratio' },
  ];
}

async function tenantWithRole(store: EventStore, tenant: string): Promise<string> {
  const roleId = randomUUID();
  const events = [
    { stream: '$system', type: 'tenant.created', schema: 1, data: { tenant, displayName: '', authProvider: 'db' } },
    { stream: tenant, type: 'role.created', schema: 1, data: { roleId, name: 'r', description: null, builtin: false } },
  ];
  await store.mutate(CONTEXT, ['$system', tenant], () => Promise.resolve({ events, result: null }));
  return roleId;
}

async function grant(store: EventStore, stream: string, roleId: string): Promise<void> {
  const permissionId = randomUUID();
  const names = { effect: 'allow', catalog: 'lake', schema: 'main', table: permissionId, verb: 'RO' };
  const events = [{ stream, type: 'permission.granted', schema: 1, data: { permissionId, roleId, ...names } }];
  await store.mutate(CONTEXT, [stream], () => Promise.resolve({ events, result: null }));
}

async function bareTransaction(pool: Pool): Promise<void> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('INSERT INTO bare (id, data) VALUES ($1, $2)', [randomUUID(), 'x'.repeat(500)]);
  await client.query('COMMIT');
  client.release();
}

async function countFor(workers: number, run: (worker: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + APPEND_ROUND_MS;
  let count = 0;
  const work = async (worker: number) => {
    for (; performance.now() < until; count++) await run(worker);
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return count;
}

/** Appends until the log has so many events: many a mutation and without tables, which the first rebuild then makes. */
async function makeLog(pool: Pool, events: number): Promise<void> {
  const store = new EventStore(pool, [], { catalogue });
  const history = new PolicyHistory(seeded(1), MIXTURE);
  const streams = ['$system', ...Object.keys(MIXTURE.tenants)];
  const { rows } = await pool.query<{ n: string }>('SELECT count(*) AS n FROM event');
  for (let made = Number(rows[0]?.n ?? 0); made < events;) {
    const next: NewEvent[] = Array.from({ length: Math.min(1000, events - made) }, () => history.next());
    await store.mutate(CONTEXT, streams, () => Promise.resolve({ events: next, result: null }));
    made += next.length;
  }
  await pool.query('VACUUM ANALYZE');
}

async function measureReplay({ pool, url }: Database): Promise<Figure[]> {
  const read = await timed(() => readLog(pool));
  const first = await timed(() => rebuild(pool, POLICY_PROJECTIONS, { catalogue, apply: true }));
  await pool.query('VACUUM ANALYZE');
  const proof = await timed(() => verify(pool));
  if (proof.result.problems.length > 0) throw new Error('the log of the bench is broken');
  const replay = await timed(() => rebuild(pool, POLICY_PROJECTIONS, { catalogue }));
  const { events, differences, tables } = replay.result;
  if (differences.length > 0) throw new Error(`the replay differs: ${JSON.stringify(differences.slice(0, 3))}`);
  const again = await timed(() => readLog(pool));
  const { rows } = await pool.query<{ users: string }>('SELECT count(*) AS users FROM app_user WHERE tenant = $1', [
    BIG_TENANT,
  ]);
  const command = await timed(() => gadwall(url, 'events', 'rebuild'));
  const baseline = (read.seconds + again.seconds) / 2;
  const perEvent = (seconds: number) => (seconds * 1e6) / events;
  const target = (SECONDS_TO_REBUILD * events) / 1e6;
  return [
    { name: 'events', value: events, unit: 'events' },
    { name: 'users of the largest tenant', value: Number(rows[0]?.users), unit: 'users' },
    { name: 'rows of derived tables', value: Object.values(tables).reduce((sum, n) => sum + n, 0), unit: 'rows' },
    { name: 'bare read of the log', value: baseline, unit: 's' },
    { name: 'verify', value: proof.seconds, unit: 's' },
    { name: 'verify, an event', value: perEvent(proof.seconds), unit: 'us' },
    { name: 'verify / bare read', value: proof.seconds / baseline, unit: 'ratio' },
    { name: 'rebuild --apply into empty tables', value: first.seconds, unit: 's' },
    atMost('rebuild', replay.seconds, target, 's'),
    { name: 'rebuild, an event', value: perEvent(replay.seconds), unit: 'us' },
    { name: 'rebuild / bare read', value: replay.seconds / baseline, unit: 'ratio' },
    { name: 'most memory of the process while it rebuilds', value: replay.mostMemory, unit: 'MB' },
    { name: 'gadwall events rebuild: start, verify, rebuild', value: command.seconds, unit: 's' },
  ];
}

async function timed<T>(run: () => Promise<T>): Promise<{ result: T; seconds: number; mostMemory: number }> {
  let mostMemory = 0;
  const sample = () => (mostMemory = Math.max(mostMemory, process.memoryUsage().rss / 2 ** 20));
  const timer = setInterval(sample, 50);
  const start = performance.now();
  try {
    const result = await run();
    sample();
    return { result, seconds: (performance.now() - start) / 1000, mostMemory };
  } finally {
    clearInterval(timer);
  }
}

/** What any reader of the whole log pays. */
async function readLog(pool: Pool): Promise<void> {
  for (let after = '0'; ;) {
    const { rows } = await pool.query<{ position: string }>(
      'SELECT * FROM event WHERE position > $1 ORDER BY position LIMIT 1000',
      [after],
    );
    const last = rows.at(-1);
    if (!last) return;
    after = last.position;
  }
}

async function gadwall(url: string, ...args: string[]): Promise<void> {
  const program = join(__dirname, '../apps/cli/src/main.js');
  const child = spawn(process.execPath, [program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url },
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`gadwall ${args.join(' ')} ended with ${String(code)}`);
}
