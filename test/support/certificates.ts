import { isIP } from 'node:net';
import type { Certificate } from '@gadwall/link';
import { generate } from 'selfsigned';

const EC = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** A certificate authority of a test. */
export type Authority = Certificate;

export async function makeAuthority(name = 'authority of the test'): Promise<Authority> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...EC,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** A certificate of an authority for a host, by name or address. */
export async function issue(
  authority: Authority,
  host: string,
  dates: { notBeforeDate?: Date; notAfterDate?: Date } = {},
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: 'server of the test' }], {
    ...EC,
    ...dates,
    ca: authority,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }] },
    ],
  });
  return { cert: made.cert, key: made.private };
}
