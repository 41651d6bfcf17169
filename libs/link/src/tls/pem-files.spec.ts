import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../../../test/support/certificates';
import { type Certificate, makeCertificate, PemError, type PemPaths, readPemFiles } from '..';

let folder: string;
let own: Certificate;
let other: Certificate;
const NONE: PemPaths = { cert: null, key: null, ca: null };
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gadwall-pem-'));
  [own, other] = [await makeCertificate(), await makeAuthority()];
});
afterAll(() => rmSync(folder, { recursive: true }));

test('gives what is in the files', () => {
  const paths = { cert: file('cert.pem', own.cert), key: file('key.pem', own.key), ca: file('ca.pem', other.cert) };
  expect(readPemFiles(paths)).toEqual({ certificate: own, ca: other.cert });
  expect(readPemFiles(NONE)).toEqual({ certificate: null, ca: null });
  const chain = file('chain.pem', `${own.cert}\n${other.cert}`);
  expect(readPemFiles({ ...paths, cert: chain }).certificate?.cert).toContain(other.cert);
});

test.each<[string, keyof PemPaths, () => PemPaths, string]>([
  ['a key without a certificate', 'cert', () => ({ ...NONE, key: file('key.pem', own.key) }), 'set where'],
  ['a certificate without a key', 'key', () => ({ ...NONE, cert: file('cert.pem', own.cert) }), 'set where'],
  ['a file that is not there', 'ca', () => ({ ...NONE, ca: join(folder, 'missing.pem') }), 'can be read (ENOENT)'],
  ['a file that is none of PEM', 'ca', () => ({ ...NONE, ca: file('text.pem', 'text') }), 'with certificates'],
  [
    'a certificate that is none',
    'cert',
    () => ({
      ...NONE,
      cert: file('bad.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
      key: file('key.pem', own.key),
    }),
    'with certificates',
  ],
  [
    'a key that is none',
    'key',
    () => ({ ...NONE, cert: file('cert.pem', own.cert), key: file('key.pem', own.cert) }),
    'with a private key',
  ],
  [
    'the key of another certificate',
    'key',
    () => ({ ...NONE, cert: file('cert.pem', own.cert), key: file('key.pem', other.key) }),
    'the key of the certificate',
  ],
])('%s is a mistake in %s', (_, which, paths, message) => {
  const read = () => readPemFiles(paths());
  expect(read).toThrow(PemError);
  expect(read).toThrow(message);
  expect(read).toThrow(expect.objectContaining({ file: which }) as Error);
});
