import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { leaseTiming } from '@gadwall/events';
import { processesNaming } from '../support/cli';
import { startManager, type TestManager } from '../support/manager';

const TTL_MS = 300;

let manager: TestManager;

beforeAll(async () => {
  manager = await startManager({
    nodes: { start: true, drainMs: 1000, threads: 1, memoryLimit: '256MB' },
    leases: leaseTiming({ ttlMs: TTL_MS }),
  });
  await manager.root.done('/api/tenant/create', { id: 'acme' });
  await manager.root.done('/api/database/create', { tenant: 'acme', name: 'db', kind: 'memory' });
  await manager.root.done('/api/pool/create', { tenant: 'acme', tenantDb: 'db', pool: 'bi', size: 1 });
  await manager.root.done('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT 1' });
}, 60_000);
afterAll(() => manager.stop());

const nodes = () =>
  processesNaming(manager.dataDir)
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('apps/node/src/main.js'));

test('invariant 16: a node whose thread is held for good is replaced, without a hand', async () => {
  const [stuck = 0] = nodes();
  process.kill(stuck, 'SIGSTOP');
  const since = performance.now();
  for (;;) {
    const pids = nodes();
    if (pids.length === 1 && pids[0] !== stuck) break;
    if (performance.now() - since > 30_000) throw new Error('it was not replaced');
    await delay(50);
  }
  process.stdout.write(`a node that is stuck was replaced after ${Math.round(performance.now() - since)} ms\n`);
  expect(performance.now() - since).toBeGreaterThan(5 * TTL_MS);
  const answer = await manager.root.post('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT 1' });
  expect(answer.body).toMatchObject({ rows: [[1]] });
}, 60_000);
