import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { generateKeyPairSync } from 'node:crypto';
import { ed25519Signer, seal, type Signed, type VersionMessage } from '@gadwall/events';
import { NodeFleet } from '../../apps/manager/src/nodes';
import { Hammer } from '../support/hammer';
import { InternalProxy, type Meddler } from '../support/internal-proxy';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { workedExamples, type Workshop } from '../support/worked-examples';

const TTL_MS = 3000;
/** How long a stopped node sleeps, ms. */
const SLEEP_MS = process.env.GADWALL_SOAK ? 10_000 : 5000;

interface Policy {
  effective: boolean;
  policy: { waitedMs: number; nodes: { nodeId: string; state: string }[] };
}

let proxy: InternalProxy;
let manager: TestManager;
let made: Workshop;
let alice: ApiClient;

beforeAll(async () => {
  proxy = await InternalProxy.start();
  manager = await startManager({
    nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' },
    internal: proxy.internal,
  });
  made = await workedExamples(manager);
  alice = await manager.login('alice', 'acme');
  await untilServing();
}, 60_000);

afterEach(async () => {
  proxy.mend();
  await grant();
  await untilServing();
}, 30_000);

afterAll(async () => {
  await manager.stop();
  await proxy.stop();
});

const edge = () => ({ userId: made.users.alice, roleId: made.roles.analyst });
const revoke = () => manager.root.done<Policy>('/api/membership/user-role/remove?barrier=verbose', edge());
const grant = () => manager.root.done<Policy>('/api/membership/user-role/add?barrier=verbose', edge());
const read = () => alice.post('/api/sql', { pool: 'bi', sql: 'SELECT count(*) FROM orders' });
const nodePid = () => Number(execFileSync('pgrep', ['-P', String(process.pid), '-f', 'apps/node/src/main.js']));
const say = (what: string, ms: number) => process.stdout.write(`${what}: ${Math.round(ms)} ms\n`);

async function untilServing(): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end; await delay(20)) {
    if ((await read()).status === 200) return;
  }
  throw new Error('alice is not served');
}

async function health(): Promise<{ lease: string; refusedForLease: number; versions: Record<string, number> }> {
  const pool = await manager.root.get('/api/pool/acme/tpch/bi/status');
  const [node] = (pool.body as { nodes: { nodeId: string }[] }).nodes;
  const url = manager.app.get(NodeFleet).linkOf(node?.nodeId ?? '')?.url;
  return (await (await fetch(`${url}/internal/health`)).json()) as Awaited<ReturnType<typeof health>>;
}

test('the stream of versions is cut: renewals bring the revoke', async () => {
  proxy.cutStream();
  const { effective, policy } = await revoke();
  expect({ effective, states: policy.nodes.map(({ state }) => state) }).toEqual({
    effective: true,
    states: ['acknowledged'],
  });
  expect(policy.waitedMs).toBeLessThan(TTL_MS);
  expect((await read()).status).toBe(403);
  say('revoke with the stream cut', policy.waitedMs);
});

describe('whoever meddles with the stream of versions changes nothing', () => {
  const seen: string[] = [];
  const { privateKey } = generateKeyPairSync('ed25519');
  const forged = (line: string): string => {
    const { content } = JSON.parse((JSON.parse(line) as Signed).body) as { content: VersionMessage };
    const heads = content.heads.map((head) => ({ ...head, version: head.version + 1000 }));
    return JSON.stringify(seal('version', { ...content, heads }, ed25519Signer(privateKey)));
  };
  const later = (pass: (line: string) => void, line: string) => setTimeout(() => pass(line), 700);

  test.each<[string, Meddler]>([
    ['delayed by more than a renewal', (line, pass) => later(pass, line)],
    ['lost', () => undefined],
    [
      'B-413: delivered twice',
      (line, pass) => {
        pass(line);
        pass(line);
      },
    ],
    [
      'replayed, all that ever was',
      (line, pass) => {
        seen.push(line);
        seen.toReversed().forEach(pass);
      },
    ],
    [
      'forged',
      (line, pass) => {
        pass(forged(line));
        pass(line);
      },
    ],
    [
      'garbled',
      (line, pass) => {
        pass('{"body":1}');
        pass('null');
        pass(line);
      },
    ],
  ])('%s', async (_, meddler) => {
    proxy.meddle = meddler;
    for (let i = 0; i < 5; i++) {
      expect((await revoke()).effective).toBe(true);
      expect((await read()).status).toBe(403);
      expect((await grant()).effective).toBe(true);
      expect((await read()).status).toBe(200);
    }
    const { rows } = await manager.db.query<{ version: string }>("SELECT version FROM stream WHERE tenant = 'acme'");
    expect((await health()).versions.acme).toBe(Number(rows[0]?.version));
  });
});

test('Q-L07, B-411: cut off from every manager: the revoke is in force within the lease, the node refuses until it has caught up', async () => {
  const { refusedForLease } = await health();
  proxy.cut();
  const answered = await revoke();
  expect(answered).toMatchObject({ effective: true, policy: { nodes: [{ state: 'lease-lapsed' }] } });
  expect(answered.policy.waitedMs).toBeLessThan(TTL_MS + 500);
  say('revoke with the node cut off', answered.policy.waitedMs);
  for (let i = 0; i < 5; i++) {
    const refused = await read();
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBeDefined();
    expect(refused.body).toMatchObject({
      error: 'authz_unavailable',
      message: 'authorization unavailable, retry',
      retryable: true,
    });
  }
  expect(await health()).toMatchObject({ lease: 'lapsed', refusedForLease: refusedForLease + 5 });
  proxy.mend();
  const mended = performance.now();
  while ((await read()).status === 503) await delay(5);
  say('served again after the cut', performance.now() - mended);
  expect((await read()).status).toBe(403);
});

test('a node that is stopped and wakes refuses from that instant', async () => {
  const hammer = await Hammer.start(alice, 'bi', 'SELECT count(*) FROM orders');
  await hammer.until(0, 200, 5000);
  const pid = nodePid();
  process.kill(pid, 'SIGSTOP');
  const { effective, policy } = await revoke();
  const revoked = performance.now();
  expect({ effective, state: policy.nodes[0]?.state }).toEqual({ effective: true, state: 'lease-lapsed' });
  // Statements that came while it slept wait for it to wake; so do those that were under way.
  await delay(SLEEP_MS - policy.waitedMs);
  process.kill(pid, 'SIGCONT');
  const woken = performance.now();
  await hammer.until(revoked, 403, 10_000);
  say('answers again after it woke', performance.now() - woken);
  await hammer.stop();
  // Rows of statements that had started before the revoke may arrive late; none that were sent after it.
  expect(hammer.allowed(revoked, Infinity)).toEqual([]);
});

test('a node that is killed: nobody waits for its lease, and another takes its place', async () => {
  const hammer = await Hammer.start(alice, 'bi', 'SELECT count(*) FROM orders');
  await hammer.until(0, 200, 5000);
  process.kill(nodePid(), 'SIGKILL');
  const killed = performance.now();
  const { effective, policy } = await revoke();
  const revoked = performance.now();
  expect(effective).toBe(true);
  say('revoke after the node was killed', policy.waitedMs);
  await hammer.until(revoked, 403, 20_000);
  expect(hammer.allowed(revoked, Infinity)).toEqual([]);
  await grant();
  const back = await hammer.until(performance.now(), 200, 20_000);
  say('served again after the node was killed', back - killed);
  await hammer.stop();
});
