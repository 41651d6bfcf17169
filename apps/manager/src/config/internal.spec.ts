import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '@gadwall/link';
import { ConfigError, readConfig } from '.';

let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gadwall-config-'));
  const { cert, key } = await makeCertificate();
  writeFileSync(file('cert.pem'), cert);
  writeFileSync(file('key.pem'), key);
  writeFileSync(file('text.pem'), 'hunter2');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('nodes are on the loopback, without certificates, unless told otherwise', () => {
  expect(readConfig({})).toMatchObject({
    internal: { host: '127.0.0.1', port: 0, tls: 'auto', advertisedUrl: null, given: { certificate: null, ca: null } },
    nodes: { host: '127.0.0.1', tls: { cert: null, key: null, ca: null } },
  });
});

test('given files are read for this manager, and handed on by their paths to nodes', () => {
  const config = readConfig({
    GADWALL_INTERNAL_TLS_CERT: file('cert.pem'),
    GADWALL_INTERNAL_TLS_KEY: file('key.pem'),
    GADWALL_INTERNAL_TLS_CA: file('cert.pem'),
    GADWALL_NODE_TLS_CERT: file('cert.pem'),
    GADWALL_NODE_TLS_KEY: file('key.pem'),
  });
  expect(config.internal.given.certificate?.cert).toContain('BEGIN CERTIFICATE');
  expect(config.nodes.tls).toEqual({ cert: file('cert.pem'), key: file('key.pem'), ca: file('cert.pem') });
});

const OPEN = { GADWALL_INTERNAL_HOST: '0.0.0.0' };
test.each<[string, Record<string, string>, string]>([
  [
    'no TLS beyond the loopback',
    { ...OPEN, GADWALL_INTERNAL_TLS: 'off' },
    'GADWALL_INTERNAL_TLS must be auto or on where GADWALL_INTERNAL_HOST is not of the loopback',
  ],
  [
    'no TLS of nodes beyond the loopback',
    { GADWALL_NODE_HOST: '10.0.0.1', GADWALL_INTERNAL_TLS: 'off' },
    'GADWALL_INTERNAL_TLS must be auto or on where GADWALL_NODE_HOST is not of the loopback',
  ],
  ['a mode that is none', { GADWALL_INTERNAL_TLS: 'yes' }, 'GADWALL_INTERNAL_TLS must be one of auto, on, off'],
  [
    'a URL that is not protected',
    { GADWALL_INTERNAL_URL: 'http://manager:1' },
    'GADWALL_INTERNAL_URL must be an https:// URL, or an http:// one of the loopback',
  ],
  ['a URL that is none', { GADWALL_INTERNAL_URL: 'manager' }, 'GADWALL_INTERNAL_URL must be an https:// URL'],
  ...(['INTERNAL', 'NODE'] as const).flatMap((side): [string, Record<string, string>, string][] => [
    [
      `a missing file of ${side}`,
      { [`GADWALL_${side}_TLS_CA`]: '/nowhere/ca.pem' },
      `GADWALL_${side}_TLS_CA must be a file that can be read (ENOENT)`,
    ],
    [
      `a certificate of ${side} without its key`,
      { [`GADWALL_${side}_TLS_CERT`]: 'cert.pem' },
      `GADWALL_${side}_TLS_KEY must be set where there is a certificate`,
    ],
    [
      `a file of ${side} that is none of PEM`,
      { [`GADWALL_${side}_TLS_CERT`]: 'text.pem', [`GADWALL_${side}_TLS_KEY`]: 'key.pem' },
      `GADWALL_${side}_TLS_CERT must be a file with certificates, PEM`,
    ],
  ]),
])('%s stops the start', (_, env, message) => {
  const paths = Object.entries(env).map(([name, value]) => [
    name,
    value.endsWith('.pem') && value[0] !== '/' ? file(value) : value,
  ]);
  const read = (): unknown => readConfig(Object.fromEntries(paths) as Record<string, string>);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/hunter2/);
});
