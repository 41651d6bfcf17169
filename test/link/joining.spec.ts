import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beginJoin, type JoinRequest } from '@gadwall/link';
import { newSigningKey } from '@gadwall/rbac';
import { NodeFleet } from '../../apps/manager/src/nodes';
import { Joining } from '../../apps/manager/src/nodes/joining';
import { startManager, type TestManager } from '../support/manager';
import { type Tamper, WireTap } from '../support/wire-tap';
import { workedExamples } from '../support/worked-examples';

let tap: WireTap;
let manager: TestManager;
let issued: jest.SpyInstance<string, [string]>;
const complaints: string[] = [];

beforeAll(async () => {
  issued = jest.spyOn(Joining.prototype, 'issue');
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => complaints.push(String(text)) > 0);
  tap = await WireTap.start();
  manager = await startManager({
    nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' },
    internal: tap.internal,
  });
  await workedExamples(manager);
  await served();
}, 60_000);

afterAll(async () => {
  await manager.stop();
  tap.stop();
  jest.restoreAllMocks();
});

const ask = () => manager.root.post('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT count(*) FROM orders' });
const tokens = () => issued.mock.results.map(({ value }) => String(value));
const managerUrl = () => `http://127.0.0.1:${tap.managerPort}`;
const nodePid = () => Number(execFileSync('pgrep', ['-P', String(process.pid), '-f', 'apps/node/src/main.js']));

async function served(): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await delay(50)) {
    if ((await ask()).status === 200) return;
  }
  throw new Error(`no node serves: ${complaints.join('')}`);
}

async function post(path: string, body: unknown): Promise<{ status: number; error: string }> {
  const answer = await fetch(`${managerUrl()}/internal/nodes/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, error: text === '' ? '' : (JSON.parse(text) as { error: string }).error };
}

/** The registrations that went over the wire, and what else nodes said on a route. */
const overheard = (route: string) =>
  [
    ...tap.said.matchAll(new RegExp(`POST /internal/nodes/${route} .*?\\r\\n\\r\\n(\\{.*?\\})(?=POST|HTTP|$)`, 'gs')),
  ].map(([, body = '']) => JSON.parse(body) as JoinRequest);

const REFUSED = { status: 401, error: 'join_refused' };

test('who listens on the loopback reads neither the join token nor the key of the handles, nor what the operator set up', async () => {
  const pool = await manager.root.get('/api/pool/acme/tpch/bi/status');
  const [node] = (pool.body as { nodes: { nodeId: string }[] }).nodes;
  const key = manager.app.get(NodeFleet).linkOf(node?.nodeId ?? '')?.key ?? Buffer.alloc(0);
  expect(key).toHaveLength(32);
  expect(overheard('register').length).toBeGreaterThan(0);
  expect(tap.said).toContain('renewal-answer');
  const [token = ''] = tokens();
  for (const secret of [Buffer.from(token), Buffer.from(token, 'base64url'), key]) {
    for (const form of ['latin1', 'hex', 'base64', 'base64url'] as const) {
      expect(tap.said).not.toContain(secret.toString(form));
    }
  }
  expect(tap.said).not.toContain('CREATE TABLE');
});

describe('an impostor of a node', () => {
  const offer = { nodeId: 'n_impostor', publicKey: newSigningKey().publicKey, certificate: null };

  test('without the token is refused', async () => {
    expect(await post('register', beginJoin(randomBytes(32).toString('base64url'), offer).request)).toMatchObject(
      REFUSED,
    );
    expect(await post('register', { joinToken: tokens()[0], ...offer })).toMatchObject(REFUSED);
  });

  test('with a registration that was overheard is refused', async () => {
    for (const request of overheard('register')) expect(await post('register', request)).toMatchObject(REFUSED);
  });

  test('with a token that was used is refused, and the node goes on', async () => {
    for (const token of tokens())
      expect(await post('register', beginJoin(token, offer).request)).toMatchObject(REFUSED);
    expect((await ask()).status).toBe(200);
  });

  test('with a message that was overheard takes no place', async () => {
    const [ready] = overheard('ready');
    expect(await post('ready', ready)).toMatchObject({ status: 404 });
    expect(await post('ready', { ...ready, signature: 'x' })).toMatchObject({ status: 401, error: 'node_unknown' });
    expect(await post('ready', { nodeId: 'n_impostor', url: 'http://127.0.0.1:1' })).toMatchObject({ status: 401 });
    expect((await ask()).status).toBe(200);
  });
});

test('each start of a node has a token of its own, and that of the one before is worth nothing', async () => {
  const before = tokens();
  process.kill(nodePid(), 'SIGKILL');
  await served();
  const after = tokens();
  expect(after.length).toBeGreaterThan(before.length);
  expect(new Set(after).size).toBe(after.length);
});

test('a node has one name, and nobody else takes it', async () => {
  const joining = manager.app.get(Joining);
  const pool = await manager.root.get('/api/pool/acme/tpch/bi/status');
  const [node] = (pool.body as { nodes: { nodeId: string }[] }).nodes;
  const offer = { nodeId: node?.nodeId ?? '', publicKey: newSigningKey().publicKey, certificate: null };
  const [member = ''] = manager.app.get(NodeFleet)['members'].keys();
  expect(await post('register', beginJoin(joining.issue(member), offer).request)).toMatchObject(REFUSED);
  process.kill(nodePid(), 'SIGKILL');
  await served();
});

describe('one in the middle who changes what is said', () => {
  const STRANGER = {
    x25519: beginJoin('x', { nodeId: 'n', publicKey: '', certificate: null }).request.body,
    ed25519: newSigningKey().publicKey,
  };
  const exchangeKey = /exchangeKey":"([\w-]{59})/.exec(STRANGER.x25519)?.[1] ?? '';
  const swap = (to: 'manager' | 'node', what: RegExp, by: string): Tamper => {
    return (bytes, direction) => {
      if (direction !== to) return bytes;
      return Buffer.from(
        bytes.toString('latin1').replace(what, (_, before: string) => before + by),
        'latin1',
      );
    };
  };

  const changes: [what: string, tamper: Tamper, complaint: string][] = [
    [
      'the exchange key of the node',
      swap('manager', /(exchangeKey\\":\\")[\w-]{59}/, exchangeKey),
      'this node may not join: the manager answered 401 join_refused',
    ],
    [
      'the signing key of the node',
      swap('manager', /(publicKey\\":\\")[\w-]{59}/, STRANGER.ed25519),
      'this node may not join: the manager answered 401 join_refused',
    ],
    [
      'the exchange key of the manager',
      swap('node', /("exchangeKey":")[\w-]{59}/, exchangeKey),
      'does not know GADWALL_JOIN_TOKEN: it is not our manager',
    ],
    [
      'what the node is told',
      swap('node', /("sealed":"[\w-]{100})[\w-]/, '_'),
      'does not know GADWALL_JOIN_TOKEN: it is not our manager',
    ],
  ];

  test('is found out by one of the two, whatever it is: no node serves until that ends', async () => {
    for (const [i, [what, tamper, complaint]] of changes.entries()) {
      complaints.length = 0;
      tap.tamper = tamper;
      if (i === 0) process.kill(nodePid(), 'SIGKILL');
      for (const end = performance.now() + 20_000; !complaints.join('').includes(complaint); await delay(20)) {
        if (performance.now() > end) throw new Error(`${what}: the node did not say so: ${complaints.join('')}`);
      }
      const pool = await manager.root.get('/api/pool/acme/tpch/bi/status');
      expect((pool.body as { nodes: { status: string }[] }).nodes[0]?.status).toBe('starting');
    }
    tap.tamper = (bytes) => bytes;
    await served();
  }, 60_000);
});
