import { createHash, createHmac, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Names the protocol and its version in every key: nothing that was derived for another use is taken. */
const PROTOCOL = 'gadwall join 1';

/** A key pair for one exchange. */
export interface ExchangeKey {
  privateKey: KeyObject;
  /** SPKI, base64url. */
  publicKey: string;
}

export function newExchangeKey(): ExchangeKey {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url') };
}

/** The proof over a request's body, base64url. */
export function proofOf(joinToken: string, body: string): string {
  const key = Buffer.from(hkdfSync('sha256', joinToken, '', `${PROTOCOL} proof`, 32));
  return createHmac('sha256', key).update(body).digest('base64url');
}

/** Keys that both ends come to, 32 bytes each, and nobody else: it takes the join token and one of the private keys. */
export interface JoinKeys {
  /** Seals the manager's answer. */
  answer: Buffer;
  /** Signs handles for the node, for as long as it runs. */
  handle: Buffer;
}

/**
 * HKDF-SHA-256 over the exchanged secret, salted with the join token and bound to all that was said.
 *
 * @param theirs SPKI, base64url
 * @param said the request's body and the answer's exchange key
 * @throws Error for a key that is none, or a weak one
 */
export function joinKeys(joinToken: string, ours: KeyObject, theirs: string, said: readonly string[]): JoinKeys {
  const publicKey = createPublicKey({ key: Buffer.from(theirs, 'base64url'), format: 'der', type: 'spki' });
  const secret = diffieHellman({ privateKey: ours, publicKey });
  const transcript = createHash('sha256').update(JSON.stringify(said)).digest('base64url');
  const derived = Buffer.from(hkdfSync('sha256', secret, joinToken, `${PROTOCOL} keys ${transcript}`, 64));
  return { answer: derived.subarray(0, 32), handle: derived.subarray(32) };
}
