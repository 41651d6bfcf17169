import { setTimeout as delay } from 'node:timers/promises';
import { leaseTiming } from '@gadwall/events';
import { type BenchManager, startBenchManager } from './bench-manager';
import { type Figure, percentiles, printTable, report } from './figures';

const NODES = 8;
const TENANT = 'acme';

interface Answer {
  policy: { waitedMs: number; nodes: { state: string; ms: number }[] };
}

type Post = BenchManager['post'];

/**
 * What it takes until a mutation is in force on 8 nodes, each a process that follows the manager's stream, against the same
 * mutation that does not wait (`?wait=false`).
 */
export async function barrierBench(rounds: number, file?: string): Promise<void> {
  const { post, stop } = await startBenchManager();
  try {
    await serveNodes(post);
    report('barrier', { nodes: String(NODES), bus: 'stream' }, await measure(post, rounds), file);
  } finally {
    await stop();
  }
}

/** A database in memory is open in one process only: as many databases as nodes. */
async function serveNodes(post: Post): Promise<void> {
  await post('/api/tenant/create', { id: TENANT });
  for (let i = 0; i < NODES; i++) {
    await post('/api/database/create', { tenant: TENANT, name: `db${i}`, kind: 'memory' });
    await post('/api/pool/create', { tenant: TENANT, tenantDb: `db${i}`, pool: `pool${i}`, size: 1 });
  }
  for (let i = 0; i < NODES; i++) await post('/api/sql', { tenant: TENANT, pool: `pool${i}`, sql: 'SELECT 1' });
  // A store younger than a TTL has every barrier wait for one.
  await delay(leaseTiming({}).ttlMs);
}

async function measure(post: Post, rounds: number): Promise<Figure[]> {
  const { id: roleId } = await post<{ id: string }>('/api/role/create', { tenant: TENANT, name: 'bench' });
  const mutate = (query: string, table: string) =>
    post<Answer>(`/api/role/permission/grant?${query}`, { roleId, catalog: '*', schema: '*', table, verb: 'RO' });
  const times: Record<string, number[]> = {
    'answered at once': [],
    'answered when in force': [],
    'commit to first node applied': [],
    'commit to last node applied': [],
    'commit to in force': [],
  };
  for (let i = 0; i < rounds; i++) {
    const before = performance.now();
    await mutate('wait=false', `a${i}`);
    const between = performance.now();
    const { policy } = await mutate('barrier=verbose', `b${i}`);
    const after = performance.now();
    const applied = policy.nodes.map(({ ms }) => ms);
    if (policy.nodes.some(({ state }) => state !== 'acknowledged')) throw new Error('a node did not acknowledge');
    times['answered at once']?.push(between - before);
    times['answered when in force']?.push(after - between);
    times['commit to first node applied']?.push(Math.min(...applied));
    times['commit to last node applied']?.push(Math.max(...applied));
    times['commit to in force']?.push(policy.waitedMs);
  }
  return figuresOf(times);
}

function figuresOf(times: Record<string, number[]>): Figure[] {
  const rows = Object.entries(times).map(([name, samples]) => ({ name, ...percentiles(samples) }));
  printTable(
    ['ms', 'p50', 'p99'],
    rows.map(({ name, p50, p99 }) => [name, p50.toFixed(2), p99.toFixed(2)]),
  );
  const at = (name: string) => percentiles(times[name] ?? []);
  const ratio = at('answered when in force').p50 / at('answered at once').p50;
  return [
    ...rows.flatMap(({ name, p50, p99 }) => [
      { name: `${name}, p50`, value: p50, unit: 'ms' },
      { name: `${name}, p99`, value: p99, unit: 'ms' },
    ]),
    { name: 'when in force / at once, p50', value: ratio, unit: 'ratio' },
  ];
}
