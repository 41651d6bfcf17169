import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { SignedContent } from './messages';

/** A message with its signature over exactly these bytes. */
export interface Signed {
  /** JSON: `{kind, content}`. */
  body: string;
  signature: string;
}

export type Sign = (body: string) => string;
export type Verify = (body: string, signature: string) => boolean;

/** Signs a message of a kind. */
export function seal<K extends keyof SignedContent>(kind: K, content: SignedContent[K], signer: Sign): Signed {
  const body = JSON.stringify({ kind, content });
  return { body, signature: signer(body) };
}

/** The content of a message; null when it is not of this kind or not signed by whom it should be (DESIGN section 5, rule 7). */
export function unseal<K extends keyof SignedContent>(
  kind: K,
  signed: unknown,
  verifier: Verify,
): SignedContent[K] | null {
  const { body, signature } = (signed ?? {}) as Partial<Record<keyof Signed, unknown>>;
  if (typeof body !== 'string' || typeof signature !== 'string' || !verifier(body, signature)) return null;
  const opened = JSON.parse(body) as { kind?: unknown; content: SignedContent[K] };
  return opened.kind === kind ? opened.content : null;
}

/** Signs with an Ed25519 key. */
export function ed25519Signer(privateKey: KeyObject): Sign {
  return (body) => sign(null, Buffer.from(body), privateKey).toString('base64url');
}

/** Verifies Ed25519 signatures by any of these keys (SPKI, base64url). @throws Error for a text that is no key */
export function ed25519Verifier(publicKeys: readonly string[]): Verify {
  const keys = publicKeys.map((key) =>
    createPublicKey({ key: Buffer.from(key, 'base64url'), format: 'der', type: 'spki' }),
  );
  return (body, signature) => {
    const [data, bytes] = [Buffer.from(body), Buffer.from(signature, 'base64url')];
    return keys.some((key) => verify(null, data, key, bytes));
  };
}
