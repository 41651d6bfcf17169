import { nodeConfig } from '.';

const base = { GADWALL_MANAGER_URL: 'http://127.0.0.1:1', GADWALL_JOIN_TOKEN: 'token' };
const link = (env: Record<string, string>) => nodeConfig({ ...base, ...env }).link;
const FINGERPRINT = Array(32).fill('AB').join(':');

test.each<[string, Record<string, string>, boolean]>([
  ['on the loopback', {}, false],
  ['on the loopback when it is told to', { GADWALL_NODE_TLS: 'on' }, true],
  ['everywhere else', { GADWALL_NODE_HOST: '0.0.0.0' }, true],
])('TLS %s', (_, env, tls) => {
  expect(link(env).tls).toBe(tls);
});

test('the manager is known by its fingerprint, and by nothing else when it has none', () => {
  expect(link({ GADWALL_MANAGER_FINGERPRINT: FINGERPRINT }).managerFingerprint).toBe(FINGERPRINT);
  expect(link({ GADWALL_MANAGER_FINGERPRINT: '' }).managerFingerprint).toBeNull();
});

test.each<[Record<string, string>, string]>([
  [
    { GADWALL_NODE_HOST: '10.0.0.1', GADWALL_NODE_TLS: 'off' },
    'GADWALL_NODE_TLS must be auto or on where GADWALL_NODE_HOST is not of the loopback',
  ],
  [{ GADWALL_NODE_TLS: 'maybe' }, 'GADWALL_NODE_TLS must be one of auto, on, off'],
  [{ GADWALL_MANAGER_URL: 'http://10.0.0.1:1' }, 'GADWALL_MANAGER_URL must be an https:// URL, or an http:// one'],
  [{ GADWALL_NODE_URL: 'ftp://127.0.0.1' }, 'GADWALL_NODE_URL must be an https:// URL'],
  [{ GADWALL_MANAGER_FINGERPRINT: 'AB:CD' }, 'GADWALL_MANAGER_FINGERPRINT must be a SHA-256'],
  [{ GADWALL_NODE_TLS_CA: '/nowhere/ca.pem' }, 'GADWALL_NODE_TLS_CA must be a file that can be read (ENOENT)'],
  [{ GADWALL_NODE_TLS_KEY: '/nowhere/key.pem' }, 'GADWALL_NODE_TLS_CERT must be set where there is a key'],
])('%j stops the start', (env, message) => {
  expect(() => link(env)).toThrow(message);
});
