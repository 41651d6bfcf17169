import { createPrivateKey, createPublicKey, generateKeyPairSync, KeyObject, sign, verify } from 'node:crypto';
import { setDigest } from './digest';
import type { EffectiveSet } from './model';

/** An EffectiveSet as a manager sends it to a node: Ed25519 over its digest (DESIGN section 5, rule 7). */
export interface SignedSet {
  set: EffectiveSet;
  /** base64url. */
  signature: string;
}

/** A manager's signing key, fresh at each boot; nodes get the public half on registration. */
export interface SigningKey {
  privateKey: KeyObject;
  /** SPKI, base64url. */
  publicKey: string;
}

export function newSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
  };
}

export function signSet(key: SigningKey, set: EffectiveSet): SignedSet {
  return { set, signature: sign(null, Buffer.from(setDigest(set)), key.privateKey).toString('base64url') };
}

/**
 * The set of a signed set, with its digest computed from its content; null when no key of `publicKeys` signed it.
 */
export function openSet(
  publicKeys: readonly string[],
  signed: SignedSet,
): { set: EffectiveSet; digest: string } | null {
  const digest = setDigest(signed.set);
  const signature = Buffer.from(signed.signature, 'base64url');
  const valid = publicKeys.some((publicKey) => {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(digest), key, signature);
  });
  return valid ? { set: signed.set, digest } : null;
}
