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

const edge = () => ({ userId: made.users.alice, roleId: made.roles.analyst });
const read = () => alice.post('/api/sql', { pool: 'bi', sql: 'SELECT count(*) FROM orders' });

test('a mutation is in force on the node when it answers, and says so', async () => {
  const answer = await manager.root.post('/api/membership/user-role/remove?barrier=verbose', edge());
  expect(answer.status).toBe(200);
  const [, tenant, system] =
    /^tenant=(\d+), system=(\d+)$/.exec(String(answer.headers['gadwall-policy-version'])) ?? [];
  expect(answer.body).toEqual({
    effective: true,
    policy: {
      policyVersion: { tenant: Number(tenant), system: Number(system) },
      effective: true,
      waitedMs: expect.any(Number) as number,
      nodes: [
        {
          nodeId: expect.stringMatching(/^n_/) as string,
          state: 'acknowledged',
          ms: expect.any(Number) as number,
        },
      ],
    },
  });
  expect((answer.body as { policy: { waitedMs: number } }).policy.waitedMs).toBeLessThan(500);
  expect((await read()).status).toBe(403);
});

test('one that changes nothing waits for what is there', async () => {
  const answer = await manager.root.post('/api/membership/user-role/remove?barrier=verbose', edge());
  expect(answer.body).toMatchObject({ effective: true, policy: { nodes: [{ state: 'acknowledged' }] } });
});

test('?wait=false answers at once with 202, and what is outstanding', async () => {
  const answer = await manager.root.post('/api/membership/user-role/add?wait=false', edge());
  expect(answer.status).toBe(202);
  expect(answer.body).toMatchObject({ effective: false, policy: { effective: false } });
});

test('a pool says until when its node holds a lease, and at which version', async () => {
  const pool = await manager.root.get('/api/pool/acme/tpch/bi/status');
  const [node] = (pool.body as { nodes: { leaseExpiresAt: string; policyVersion: number }[] }).nodes;
  const left = new Date(node?.leaseExpiresAt ?? 0).getTime() - Date.now();
  expect(left).toBeGreaterThan(1000);
  expect(left).toBeLessThanOrEqual(3000);
  const head = await manager.db.query<{ version: string }>("SELECT version FROM stream WHERE tenant = 'acme'");
  await new Promise((resolve) => setTimeout(resolve, 600)); // the row says what the last renewal said
  const later = await manager.root.get('/api/pool/acme/tpch/bi/status');
  expect(later.body).toMatchObject({ nodes: [{ policyVersion: Number(head.rows[0]?.version) }] });
});
