import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { Agent, request } from 'undici';
import { ed25519Signer, seal } from '@gadwall/events';
import { beginJoin, type Certificate, connectorTo, fingerprintOf, makeCertificate, tlsServer } from '@gadwall/link';
import { newSigningKey } from '@gadwall/rbac';
import { NodeFleet } from '../../apps/manager/src/nodes';
import { InternalServer } from '../../apps/manager/src/nodes/internal-server';
import { Joining } from '../../apps/manager/src/nodes/joining';
import { startManager, type TestManager } from '../support/manager';
import { workedExamples } from '../support/worked-examples';

let manager: TestManager;
let own: Certificate;
let impostor: Certificate;
let server: Server;
let heard: string[];

beforeAll(async () => {
  [own, impostor] = [await makeCertificate(), await makeCertificate()];
  manager = await startManager({
    nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' },
    internal: { tls: 'on' },
  });
  await workedExamples(manager);
  expect((await ask()).status).toBe(200);
}, 60_000);

afterAll(() => manager.stop());

beforeEach(async () => {
  heard = [];
  server = createServer(tlsServer(own), (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard.push(String(bytes));
      const body = JSON.stringify({ error: 'internal', message: 'of the test' });
      socket.end(`HTTP/1.1 500 Error\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const SQL = "SELECT 'known to alice alone'";
const ask = () => manager.root.post('/api/sql', { tenant: 'acme', pool: 'bi', sql: SQL });
const portOf = (of: Server) => (of.address() as AddressInfo).port;

/** A node of the test that takes the place of the real one: it has a token of the process, and a certificate. */
async function takePlace(name: string, url: string): Promise<number> {
  const internal = manager.app.get(InternalServer);
  const { port } = internal['server']?.addresses()[0] as AddressInfo;
  const managerUrl = `https://127.0.0.1:${port}`;
  const dispatcher = new Agent({
    connect: connectorTo({ url: managerUrl, fingerprint: internal.fingerprint, ca: null }),
  });
  const say = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { dispatcher, method: 'POST', headers, body: JSON.stringify(body) } as const;
    const answer = await request(`${managerUrl}/internal/nodes/${path}`, sent);
    await answer.body.dump();
    return answer.statusCode;
  };
  const key = newSigningKey();
  const [member = ''] = manager.app.get(NodeFleet)['members'].keys();
  const token = manager.app.get(Joining).issue(member);
  const offer = { nodeId: name, publicKey: key.publicKey, certificate: fingerprintOf(own.cert) };
  expect(await say('register', beginJoin(token, offer).request)).toBe(200);
  return say('ready', seal('ready', { nodeId: name, url }, ed25519Signer(key.privateKey)));
}

test('a manager talks to the node that shows the certificate it registered', async () => {
  expect(await takePlace('n_honest', `https://127.0.0.1:${portOf(server)}`)).toBe(204);
  await ask();
  expect(heard.join('')).toContain(SQL);
});

test('one who sits on its port with another certificate hears nothing', async () => {
  server.setSecureContext(tlsServer(impostor));
  expect(await takePlace('n_replaced', `https://127.0.0.1:${portOf(server)}`)).toBe(204);
  expect((await ask()).body).toMatchObject({ error: 'pool_unavailable' });
  expect(heard).toEqual([]);
});

test('nor does one who comes to that port later, when the manager had talked to the node before', async () => {
  expect(await takePlace('n_gone', `https://127.0.0.1:${portOf(server)}`)).toBe(204);
  await ask();
  const before = heard.length;
  expect(before).toBeGreaterThan(0);
  server.setSecureContext(tlsServer(impostor));
  expect((await ask()).body).toMatchObject({ error: 'pool_unavailable' });
  expect(heard).toHaveLength(before);
});

test('a node that registered a certificate cannot be reached without', async () => {
  expect(await takePlace('n_plain', `http://127.0.0.1:${portOf(server)}`)).toBe(500);
  expect(manager.app.get(NodeFleet).linkOf('n_plain')).toBeUndefined();
});
