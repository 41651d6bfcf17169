import { setTimeout as delay } from 'node:timers/promises';
import { FreshHandles } from '../../apps/manager/src/nodes/fresh-handles';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { workedExamples, type Workshop } from '../support/worked-examples';

let manager: TestManager;
let made: Workshop;
let alice: ApiClient;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  made = await workedExamples(manager);
  alice = await manager.login('alice', 'acme');
  await alice.done('/api/sql', { pool: 'bi', sql: 'SELECT 1' });
}, 60_000);
afterAll(() => manager.stop());

test('statements that are overtaken by changes of others go on without being done twice', async () => {
  const asked = jest.spyOn(manager.app.get(FreshHandles), 'mint');
  const { id: roleId } = await manager.root.done<{ id: string }>('/api/role/create', { tenant: 'acme', name: 'other' });
  const statuses: number[] = [];
  let over = false;
  const readers = Array.from({ length: 8 }, async () => {
    for (let i = 0; !over; i++) {
      // Never seen before: it has to be bound, which takes longer than a change takes to come.
      const sql = `SELECT count(*) + ${Math.random()} FROM orders o JOIN customer c ON o.o_custkey = c.c_custkey`;
      statuses.push((await alice.post('/api/sql', { pool: 'bi', sql })).status);
    }
  });
  const table = (i: number) => ({ roleId, catalog: 'acme_tpch', schema: 'tpch1', table: `t${i}`, verb: 'RO' });
  for (let i = 0; i < 60 || (asked.mock.calls.length === 0 && i < 400); i++) {
    await manager.root.done('/api/role/permission/grant?wait=false', table(i)).catch(() => undefined);
    await delay(10);
  }
  over = true;
  await Promise.all(readers);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(asked.mock.calls.length).toBeGreaterThan(0);
  const answers = await Promise.all(asked.mock.results.map(({ value }) => value as Promise<object>));
  expect(answers.every((answer) => 'handle' in answer)).toBe(true);
}, 60_000);

test('one whose principal lost what it reads is refused, however it was overtaken', async () => {
  const edge = { userId: made.users.alice, roleId: made.roles.analyst };
  for (let round = 0; round < 20; round++) {
    const reads = Array.from({ length: 6 }, () =>
      alice
        .post('/api/sql', { pool: 'bi', sql: `SELECT count(*) + ${Math.random()} FROM orders` })
        .then((a) => a.status),
    );
    const { effective } = await manager.root.done<{ effective: boolean }>('/api/membership/user-role/remove', edge);
    const after = alice.post('/api/sql', { pool: 'bi', sql: 'SELECT count(*) FROM orders' });
    expect({ effective, status: (await after).status }).toEqual({ effective: true, status: 403 });
    for (const status of await Promise.all(reads)) expect([200, 403]).toContain(status);
    await manager.root.done('/api/membership/user-role/add', edge);
  }
}, 60_000);
