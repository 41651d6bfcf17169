import { request } from 'node:http';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { workedExamples, type Workshop } from '../support/worked-examples';

/** What a revoke may take to end a statement that runs (docs/consistency.md), ms. */
const BOUND_MS = 2000;

let manager: TestManager;
let made: Workshop;
let token: string;
let alice: ApiClient;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  made = await workedExamples(manager);
  const login = { username: 'alice', password: 'correct horse', tenant: 'acme' };
  ({ token } = await manager.anonymous.done<{ token: string }>('/api/auth/login', login));
  alice = manager.as(token);
  await alice.done('/api/sql', { pool: 'bi', sql: 'SELECT 1' });
}, 60_000);

afterAll(() => manager.stop());

interface SlowRead {
  /** Bytes taken so far. */
  taken(): number;
  /** Reads without pause from now on. */
  hurry(): void;
  /** How it ended. */
  end: Promise<'complete' | 'broken off'>;
}

/** Asks for 10 M rows and takes them slowly. */
function readSlowly(): Promise<SlowRead> {
  const { port } = new URL(manager.url);
  const headers = { 'content-type': 'application/json', 'x-api-key': token, accept: 'text/csv' };
  return new Promise((resolve, reject) => {
    const sent = request({ port, path: '/api/sql', method: 'POST', headers }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`answered ${answer.statusCode}`));
      let [taken, pauseMs] = [0, 20];
      answer.on('data', (chunk: Buffer) => {
        taken += chunk.length;
        if (pauseMs === 0) return;
        answer.pause();
        setTimeout(() => answer.resume(), pauseMs);
      });
      const end = new Promise<'complete' | 'broken off'>((done) => {
        answer.on('close', () => done(answer.complete ? 'complete' : 'broken off'));
        answer.on('error', () => undefined);
      });
      resolve({ taken: () => taken, hurry: () => (pauseMs = 0), end });
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ pool: 'bi', sql: 'SELECT range FROM customer, range(1000000)' }));
  });
}

const edge = () => ({ userId: made.users.alice, roleId: made.roles.analyst });
const revoke = () => manager.root.done<{ effective: boolean }>('/api/membership/user-role/remove', edge());
const grant = () => manager.root.done('/api/membership/user-role/add', edge());
const interruptOnRevoke = (on: boolean) =>
  manager.root.done('/api/tenant/setInterruptOnRevoke', { name: 'acme', interruptOnRevoke: on });

test('B-409: interruptOnRevoke off: the running statement ends by itself, the next one is refused', async () => {
  const reading = await readSlowly();
  expect(await revoke()).toMatchObject({ effective: true });
  expect((await alice.post('/api/sql', { pool: 'bi', sql: 'SELECT count(*) FROM customer' })).status).toBe(403);
  reading.hurry();
  expect(await reading.end).toBe('complete');
  expect(reading.taken()).toBeGreaterThan(70_000_000);
  await grant();
});

test('B-409: interruptOnRevoke on: it is interrupted within the bound, and others are not', async () => {
  expect(await interruptOnRevoke(true)).toMatchObject({ name: 'acme', interruptOnRevoke: true });
  const reading = await readSlowly();
  await manager.root.done('/api/membership/user-role/remove', { userId: made.users.bob, roleId: made.roles.analyst });
  const other = await Promise.race([reading.end, new Promise((resolve) => setTimeout(() => resolve('running'), 500))]);
  expect(other).toBe('running');
  expect(await revoke()).toMatchObject({ effective: true });
  const since = performance.now();
  reading.hurry();
  expect(await reading.end).toBe('broken off');
  const took = performance.now() - since;
  process.stdout.write(`broken off after ${Math.round(took)} ms\n`);
  expect(took).toBeLessThan(BOUND_MS);
  await grant();
  await interruptOnRevoke(false);
});

test('Gadwall-Min-Policy-Version: as fresh as that, or 503 that can be tried again', async () => {
  const granted = await manager.root.post('/api/membership/user-role/add', edge());
  const version = String(granted.headers['gadwall-policy-version']);
  const read = (least: string) =>
    alice
      .post('/api/sql', { pool: 'bi', sql: 'SELECT count(*) FROM customer' })
      .set('Gadwall-Min-Policy-Version', least);
  const fresh = await read(version);
  expect(fresh.status).toBe(200);
  expect(fresh.headers['gadwall-policy-version']).toBe(version);
  const ahead = await read('tenant=1000000');
  expect(ahead.status).toBe(503);
  expect(ahead.headers['retry-after']).toBeDefined();
  expect(ahead.body).toMatchObject({ error: 'authz_unavailable', retryable: true });
  expect((await read('newest')).status).toBe(400);
});
