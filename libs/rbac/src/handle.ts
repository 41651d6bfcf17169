import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

/** The versions that a principal depends on: the tenant's stream (0 for a superuser in none) and `$system`'s. */
export interface PolicyVersions {
  tenant: number;
  system: number;
}

/**
 * What a manager says before a statement: who runs what, where, and under which set (DESIGN section 1, "handle"). Signed
 * with the key that the node made at its boot, so no other node takes it.
 */
export interface Handle {
  userId: string;
  /** Digest of the EffectiveSet that the node must judge with. */
  setDigest: string;
  nodeId: string;
  /** The tenant whose pool this is, and the pool. */
  tenant: string;
  poolId: string;
  versions: PolicyVersions;
  /** The history of the store that the versions belong to. */
  timeline: string;
  /** A session of the node, or null for a statement of its own. */
  session: string | null;
  /** SHA-256, hex, over the text and the parameters. */
  statement: string;
  nonce: string;
  /** ms since the epoch. */
  expiresAt: number;
}

/** ms that a handle is good for. */
export const HANDLE_TTL_MS = 60_000;

export type HandleRefusal = 'malformed' | 'signature' | 'node' | 'expired' | 'statement';

/** The SHA-256, hex, that a handle carries of a statement. */
export function statementHash(sql: string, parameters: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([sql, parameters]))
    .digest('hex');
}

/** Mints a handle with a fresh nonce. `now` in ms since the epoch. */
export function mintHandle(key: Buffer, content: Omit<Handle, 'nonce' | 'expiresAt'>, now: number): string {
  const handle: Handle = { ...content, nonce: randomUUID(), expiresAt: now + HANDLE_TTL_MS };
  const body = Buffer.from(JSON.stringify(handle)).toString('base64url');
  return `${body}.${sign(key, body)}`;
}

/** Checks all that can be checked without memory; whether the nonce was used and the versions are current is the node's. */
export function openHandle(
  key: Buffer,
  token: unknown,
  expected: { nodeId: string; statement: string },
  now: number,
): { handle: Handle } | { refused: HandleRefusal } {
  const [body, signature, rest] = typeof token === 'string' ? token.split('.') : [];
  if (!body || !signature || rest !== undefined) return { refused: 'malformed' };
  if (!equal(sign(key, body), signature)) return { refused: 'signature' };
  const handle = JSON.parse(Buffer.from(body, 'base64url').toString()) as Handle;
  if (handle.nodeId !== expected.nodeId) return { refused: 'node' };
  if (!(now < handle.expiresAt)) return { refused: 'expired' };
  if (handle.statement !== expected.statement) return { refused: 'statement' };
  return { handle };
}

function sign(key: Buffer, body: string): string {
  return createHmac('sha256', key).update(body).digest('base64url');
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
