import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Certificate } from './certificate';

/** Paths of PEM files; null = not given. */
export interface PemPaths {
  /** A certificate, with those between it and its authority after it. */
  cert: string | null;
  /** Its private key. */
  key: string | null;
  /** Certificates of the authorities that the other side's certificate must come from. */
  ca: string | null;
}

/** What was given, PEM; null = nothing. */
export interface GivenTls {
  certificate: Certificate | null;
  ca: string | null;
}

/** A file that cannot be used. The message says what it must be, to be put after the name of its setting. */
export class PemError extends Error {
  constructor(
    readonly file: keyof PemPaths,
    expected: string,
  ) {
    super(expected);
    this.name = 'PemError';
  }
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads certificates that an operator gives. @throws PemError for the first file that cannot be used */
export function readPemFiles({ cert, key, ca }: PemPaths): GivenTls {
  if (cert !== null && key === null) throw new PemError('key', 'set where there is a certificate');
  if (cert === null && key !== null) throw new PemError('cert', 'set where there is a key');
  return {
    certificate: cert === null || key === null ? null : certificateIn(cert, key),
    ca: ca === null ? null : certificatesIn('ca', ca).text,
  };
}

function certificateIn(certPath: string, keyPath: string): Certificate {
  const { text: cert, first } = certificatesIn('cert', certPath);
  const text = read('key', keyPath);
  if (!first.checkPrivateKey(privateKey(text))) throw new PemError('key', 'the key of the certificate');
  return { cert, key: text };
}

function privateKey(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw new PemError('key', 'a file with a private key without a passphrase, PEM');
  }
}

function certificatesIn(file: 'cert' | 'ca', path: string): { text: string; first: X509Certificate } {
  const text = read(file, path);
  try {
    const [first] = (text.match(BLOCK) ?? []).map((block) => new X509Certificate(block));
    if (first) return { text, first };
  } catch {
    // Said below.
  }
  throw new PemError(file, 'a file with certificates, PEM');
}

function read(file: keyof PemPaths, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new PemError(file, `a file that can be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}
