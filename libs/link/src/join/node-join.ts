import { joinKeys, newExchangeKey, proofOf } from './exchange';
import type { JoinAnswer, JoinRequest, NodeOffer } from './messages';
import { unsealJson } from './sealed';

/** A registration under way, as the node sees it. */
export interface NodeJoin {
  request: JoinRequest;
  /** What the manager says, with the key of the node's handles; null unless it knows the join token and answers this request. */
  open: (answer: unknown) => { content: unknown; handleKey: Buffer } | null;
}

/** Begins to register: the join token itself stays here (ADR 015). */
export function beginJoin(joinToken: string, offer: NodeOffer): NodeJoin {
  const exchange = newExchangeKey();
  // The exchange key is fresh, and so the request's nonce as well.
  const body = JSON.stringify({ ...offer, exchangeKey: exchange.publicKey });
  return {
    request: { body, proof: proofOf(joinToken, body) },
    open(answer) {
      const { exchangeKey, sealed } = (answer ?? {}) as Partial<Record<keyof JoinAnswer, unknown>>;
      if (typeof exchangeKey !== 'string' || typeof sealed !== 'string') return null;
      try {
        const keys = joinKeys(joinToken, exchange.privateKey, exchangeKey, [body, exchangeKey]);
        return { content: unsealJson(keys.answer, sealed), handleKey: keys.handle };
      } catch {
        return null;
      }
    },
  };
}
