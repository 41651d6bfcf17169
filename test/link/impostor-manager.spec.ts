import { randomBytes } from 'node:crypto';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { beginJoin, fingerprintOf, makeCertificate, openJoin, tlsServer } from '@gadwall/link';
import { runNode } from '../support/node-process';

const token = randomBytes(32).toString('base64url');
let server: Server | undefined;
let heard = '';

beforeEach(() => (heard = ''));
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

async function listening(made: Server): Promise<number> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return (made.address() as AddressInfo).port;
}

/** A server on the manager's port that answers a registration as it likes. */
const answering = (answer: (request: unknown) => unknown) =>
  listening(
    createHttp((from, to) => {
      let body = '';
      from.on('data', (chunk) => (body += String(chunk)));
      from.on('end', () => {
        heard += JSON.stringify(from.headers) + body;
        const said = answer(JSON.parse(body));
        to.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
        to.end(typeof said === 'string' ? said : JSON.stringify(said));
      });
    }),
  );

const assignment = {
  catalogs: [{ name: 'lake', path: ':memory:', readOnly: false }],
  defaultSchema: 'main',
  initSql: null,
  managerKeys: [],
  lease: { ttlMs: 3000, renewMs: 500, driftMargin: 0.05, keepAliveMs: 1000 },
};

test.each<[string, (request: unknown) => unknown]>([
  ['with the assignment in the clear', () => assignment],
  ['with a join of another token', () => joinOfAnother()],
  ['with what is no JSON', () => '<html>'],
  ['with nothing', () => ''],
])('one who sits on the port and answers %s: the node ends, and has told no secret', async (_, answer) => {
  const port = await answering(answer);
  const { code, said } = await runNode({
    GADWALL_MANAGER_URL: `http://127.0.0.1:${port}`,
    GADWALL_JOIN_TOKEN: token,
  });
  expect(said).toContain('gadwall node: what answers at GADWALL_MANAGER_URL does not know GADWALL_JOIN_TOKEN');
  expect(code).toBe(1);
  expect(heard).toContain('proof');
  expect(heard).not.toContain(token);
});

/** What one would answer who knows the protocol and not the token. */
function joinOfAnother(): unknown {
  const guess = randomBytes(32).toString('base64url');
  const { request } = beginJoin(guess, { nodeId: 'n', publicKey: 'x', certificate: null });
  return openJoin(guess, request)?.answer(assignment);
}

test('one with another certificate: the node ends before it has said a word', async () => {
  const [own, impostor] = [await makeCertificate(), await makeCertificate()];
  const made = createTls(tlsServer(impostor), (socket) => {
    socket.on('data', (bytes) => (heard += String(bytes)));
    socket.on('error', () => undefined);
  });
  const port = await listening(made);
  const { code, said } = await runNode({
    GADWALL_MANAGER_URL: `https://127.0.0.1:${port}`,
    GADWALL_MANAGER_FINGERPRINT: fingerprintOf(own.cert),
    GADWALL_JOIN_TOKEN: token,
  });
  expect(said).toContain(`the certificate at https://127.0.0.1:${port} is not the one that was promised`);
  expect(code).toBe(1);
  expect(heard).toBe('');
});

test('one with a certificate that nobody vouches for: the node ends before it has said a word', async () => {
  const made = createTls(tlsServer(await makeCertificate()), (socket) => {
    socket.on('data', (bytes) => (heard += String(bytes)));
    socket.on('error', () => undefined);
  });
  const port = await listening(made);
  const { code, said } = await runNode({
    GADWALL_MANAGER_URL: `https://127.0.0.1:${port}`,
    GADWALL_JOIN_TOKEN: token,
  });
  expect(said).toContain('self-signed certificate');
  expect(code).toBe(1);
  expect(heard).toBe('');
});
