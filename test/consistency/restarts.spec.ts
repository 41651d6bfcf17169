import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedServer, startEmbedded } from '../../libs/database/src/embedded/server';
import { migrate } from '../../libs/database/src/migrate';
import { GadwallProcess } from '../support/gadwall-process';
import { Hammer } from '../support/hammer';
import { API_KEY, type ApiClient, clientOf, loginAt } from '../support/manager';
import { workedExamples, type Workshop } from '../support/worked-examples';

let folder: string;
let server: EmbeddedServer;
let gadwall: GadwallProcess;
let root: ApiClient;
let alice: ApiClient;
let made: Workshop;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gadwall-restarts-'));
  chmodSync(folder, 0o711); // the server's account passes through when we are root
  server = await startEmbedded({ dataDir: folder });
  await migrate(server.url);
  gadwall = new GadwallProcess(server.url);
  await gadwall.start();
  root = clientOf(gadwall.url, API_KEY);
  made = await workedExamples({ root });
  alice = await loginAt(gadwall.url, 'alice', 'acme');
}, 90_000);

afterAll(async () => {
  await gadwall.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const edge = () => ({ userId: made.users.alice, roleId: made.roles.analyst });
interface Changed {
  effective?: boolean;
}

/** What a change answered; nothing of use when there was no answer. */
const change = async (what: 'add' | 'remove'): Promise<Changed> => {
  const answer = await root.post(`/api/membership/user-role/${what}`, edge()).catch(() => null);
  return (answer?.body ?? {}) as Changed;
};
const childrenOf = (pid: number) =>
  execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);
const say = (what: string, ms: number) => process.stdout.write(`${what}: ${Math.round(ms)} ms\n`);

async function insist(what: 'add' | 'remove'): Promise<number> {
  for (;;) {
    const { effective } = await change(what);
    if (effective) return performance.now();
    await delay(50);
  }
}

const hammering = async () => {
  const hammer = await Hammer.start(alice, 'bi', 'SELECT count(*) FROM orders');
  await hammer.until(0, 200, 20_000);
  return hammer;
};

test('PostgreSQL is killed and comes back: nothing stale, nothing lost, no hand needed', async () => {
  const hammer = await hammering();
  const killed = performance.now();
  process.kill(server.ref.pid, 'SIGKILL');
  const revoked = await insist('remove');
  say('revoke in force after PostgreSQL was killed', revoked - killed);
  await hammer.until(revoked, 403, 20_000);
  expect(hammer.allowed(revoked, Infinity)).toEqual([]);
  const granted = await insist('add');
  await hammer.until(granted, 200, 20_000);
  await hammer.stop();
}, 90_000);

test('while PostgreSQL is away nothing is allowed for longer than a lease', async () => {
  const hammer = await hammering();
  // With all its backends, those of connections that are open too.
  const pids = [server.ref.pid, ...childrenOf(server.ref.pid)];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  const away = performance.now();
  await delay(5000);
  const late = hammer.allowed(away + 3000, Infinity);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  const back = performance.now();
  expect(late).toEqual([]);
  await hammer.until(back, 200, 20_000);
  say('served again after PostgreSQL was back', performance.now() - back);
  await hammer.stop();
}, 60_000);

test('the manager is killed and started again: what was revoked stays so', async () => {
  const revoked = await insist('remove');
  const hammer = await Hammer.start(alice, 'bi', 'SELECT count(*) FROM orders');
  await gadwall.kill();
  const killed = performance.now();
  await gadwall.start();
  await hammer.until(killed, 403, 30_000);
  say('answers again after the manager was killed', performance.now() - killed);
  expect(hammer.allowed(revoked, Infinity)).toEqual([]);
  const granted = await insist('add');
  await hammer.until(granted, 200, 30_000);
  await hammer.stop();
}, 90_000);
