import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { leaseTiming } from '@gadwall/events';
import { fingerprintOf } from '@gadwall/link';
import { readConfig } from '../../apps/manager/src/config';
import { NodeFleet } from '../../apps/manager/src/nodes';
import { InternalServer } from '../../apps/manager/src/nodes/internal-server';
import { issue, makeAuthority } from '../support/certificates';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { workedExamples, type Workshop } from '../support/worked-examples';

const TTL_MS = 3000;

let folder: string;
let given: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gadwall-given-'));
  const authority = await makeAuthority();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const [manager, node] = [await issue(authority, '127.0.0.1'), await issue(authority, '127.0.0.1')];
  given = {
    GADWALL_INTERNAL_TLS_CERT: file('manager.pem', manager.cert),
    GADWALL_INTERNAL_TLS_KEY: file('manager.key', manager.key),
    GADWALL_INTERNAL_TLS_CA: file('ca.pem', authority.cert),
    GADWALL_NODE_TLS_CERT: file('node.pem', node.cert),
    GADWALL_NODE_TLS_KEY: file('node.key', node.key),
  };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The ports of a manager and its node, and the certificates that they show. */
async function shown(manager: TestManager) {
  const pool = await manager.root.get('/api/pool/acme/tpch/bi/status');
  const [node] = (pool.body as { nodes: { nodeId: string }[] }).nodes;
  const url = manager.app.get(NodeFleet).linkOf(node?.nodeId ?? '')?.url ?? '';
  const server = manager.app.get(InternalServer);
  const { port } = server['server']?.addresses()[0] as { port: number };
  return { nodeUrl: url, managerPort: port, fingerprint: server.fingerprint };
}

function certificateAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** What one who speaks no TLS gets. */
function plain(port: number): Promise<string> {
  return new Promise((resolve) => {
    const asked = plainRequest({ port, host: '127.0.0.1', path: '/internal/health' }, () => resolve('an answer'));
    asked.on('error', () => resolve('nothing'));
    asked.end();
  });
}

describe.each<[string, () => Record<string, string>]>([
  ['forced on the loopback', () => ({ GADWALL_INTERNAL_TLS: 'on' })],
  ['by default on every address', () => ({ GADWALL_INTERNAL_HOST: '0.0.0.0', GADWALL_NODE_HOST: '0.0.0.0' })],
  ['with given certificates', () => given],
])('TLS %s', (name, env) => {
  let manager: TestManager;
  let made: Workshop;
  let alice: ApiClient;

  beforeAll(async () => {
    const { internal, nodes } = readConfig({ ...env(), GADWALL_NODE_THREADS: '1', GADWALL_NODE_MEMORY_LIMIT: '512MB' });
    manager = await startManager({ nodes, internal, leases: leaseTiming({ ttlMs: TTL_MS }) });
    made = await workedExamples(manager);
    alice = await manager.login('alice', 'acme');
  }, 60_000);

  afterAll(() => manager.stop());

  const read = (session?: string) =>
    alice.post('/api/sql', { pool: 'bi', sql: 'SELECT count(*) AS n FROM orders', session });

  test('statements and sessions', async () => {
    expect((await read()).body).toMatchObject({ rows: [[20]] });
    const opened = await alice.post('/api/session', { tenant: 'acme', pool: 'bi' });
    const { session } = opened.body as { session: string };
    expect((await read(session)).status).toBe(200);
    expect((await alice.send('delete', `/api/session/${session}`)).status).toBeLessThan(300);
  });

  test('large results, streamed', async () => {
    const sql = 'SELECT range FROM range(200000)';
    const answer = await alice.post('/api/sql', { pool: 'bi', sql }).set('accept', 'text/csv');
    expect(answer.text.trim().split('\n')).toHaveLength(200_001);
  });

  test('no port of theirs speaks anything else', async () => {
    const { nodeUrl, managerPort, fingerprint } = await shown(manager);
    expect(nodeUrl).toMatch(/^https:/);
    const nodePort = Number(new URL(nodeUrl).port);
    expect([await plain(managerPort), await plain(nodePort)]).toEqual(['nothing', 'nothing']);
    const certificates = [await certificateAt(managerPort), await certificateAt(nodePort)];
    expect(new Set(certificates).size).toBe(2);
    const own = manager.app.get(InternalServer)['config'].internal.given.certificate;
    expect(certificates[0]).toBe(own ? fingerprintOf(own.cert) : fingerprint);
    expect(fingerprint === null).toBe(name.includes('given'));
  });

  test('the stream brings a revoke at once, and renewals keep the lease', async () => {
    const edge = { userId: made.users.alice, roleId: made.roles.analyst };
    interface Answer {
      effective: boolean;
      policy: { waitedMs: number; nodes: { state: string }[] };
    }
    const revoked = await manager.root.done<Answer>('/api/membership/user-role/remove?barrier=verbose', edge);
    expect(revoked).toMatchObject({ effective: true, policy: { nodes: [{ state: 'acknowledged' }] } });
    expect((await read()).status).toBe(403);
    await manager.root.done('/api/membership/user-role/add', edge);
    await delay(TTL_MS + 500);
    expect((await read()).status).toBe(200);
  });
});
