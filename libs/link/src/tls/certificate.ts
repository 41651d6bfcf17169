import { X509Certificate } from 'node:crypto';
import type { ServerOptions } from 'node:https';

/** A certificate with its key, both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Longer than a process runs, and shorter than what tools complain about. Who pins a certificate looks at no dates. */
const DAYS = 397;

/**
 * Makes a certificate that vouches for itself, EC P-256: good for who knows its fingerprint. The key is in this process
 * only.
 */
export async function makeCertificate(): Promise<Certificate> {
  // Loaded when it is needed: most nodes are on the loopback, and start without.
  const { generate } = await import('selfsigned');
  const notBeforeDate = new Date();
  const made = await generate([{ name: 'commonName', value: 'gadwall' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate,
    notAfterDate: new Date(notBeforeDate.getTime() + DAYS * 86_400_000),
  });
  return { cert: made.cert, key: made.private };
}

/** SHA-256 of a certificate (its DER), hex in pairs with colons, as `openssl x509 -fingerprint -sha256` writes it. */
export function fingerprintOf(cert: string): string {
  return new X509Certificate(cert).fingerprint256;
}

/** What a server that shows this certificate is made with. TLS 1.3 is taken where both sides have it. */
export function tlsServer({ cert, key }: Certificate): ServerOptions {
  return { cert, key, minVersion: 'TLSv1.2' };
}
