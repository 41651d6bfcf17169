import { timingSafeEqual } from 'node:crypto';
import { joinKeys, newExchangeKey, proofOf } from './exchange';
import type { JoinAnswer, JoinRequest, NodeOffer } from './messages';
import { sealJson } from './sealed';

/** A registration whose sender knows the join token, as the manager sees it. */
export interface ManagerJoin {
  offer: NodeOffer;
  /** Signs handles for the node. */
  handleKey: Buffer;
  /** The answer, which only this node can read. */
  answer: (content: unknown) => JoinAnswer;
}

/**
 * Opens a registration. That a join token is good once is the caller's to see to: this function remembers nothing.
 *
 * @returns null unless the sender knows the join token
 * @throws Error when one who knows it offers a key that is none
 */
export function openJoin(joinToken: string, request: unknown): ManagerJoin | null {
  const { body, proof } = (request ?? {}) as Partial<Record<keyof JoinRequest, unknown>>;
  if (typeof body !== 'string' || typeof proof !== 'string') return null;
  if (!equal(proofOf(joinToken, body), proof)) return null;
  const { exchangeKey: theirs, ...offer } = JSON.parse(body) as NodeOffer & { exchangeKey: string };
  const ours = newExchangeKey();
  const keys = joinKeys(joinToken, ours.privateKey, theirs, [body, ours.publicKey]);
  return {
    offer,
    handleKey: keys.handle,
    answer: (content) => ({ exchangeKey: ours.publicKey, sealed: sealJson(keys.answer, content) }),
  };
}

function equal(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
