import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Actor } from './event';

/** What the hash of an event covers; `data` in its RFC 8785 form. */
export interface HashedEvent {
  stream: string;
  version: number;
  id: string;
  type: string;
  schema: number;
  data: string;
  actor: string | null;
  actorKind: Actor['kind'];
  requestId: string;
  causationId: string | null;
  at: Date;
  prevHash: string;
}

// JSON.stringify writes an unpaired surrogate as an escape, and nothing else as one in this range.
const UNPAIRED_SURROGATE = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

/**
 * RFC 8785 form of an event's data.
 * @throws if it is no JSON object: NaN, infinities, cycles, unpaired surrogates (RFC 8785 3.2.2.2), functions
 */
export function canonicalData(data: Record<string, unknown>): string {
  const text = canonicalize(data);
  if (text === undefined || !text.startsWith('{')) throw new TypeError('event data is not a JSON object');
  if (UNPAIRED_SURROGATE.test(text)) throw new TypeError('event data holds an unpaired surrogate');
  return text;
}

/**
 * SHA-256, in hex, over the RFC 8785 form of the event without its position: one object of these twelve members, named as in
 * the log's table but for camel case. Spelled out instead of canonicalized again, so that a million hashes take seconds.
 */
export function eventHash(event: HashedEvent): string {
  const json = (value: string | number | null) => JSON.stringify(value);
  const text =
    `{"actor":${json(event.actor)},"actorKind":${json(event.actorKind)},"at":${json(event.at.toISOString())},` +
    `"causationId":${json(event.causationId)},"data":${event.data},"id":${json(event.id)},` +
    `"prevHash":${json(event.prevHash)},"requestId":${json(event.requestId)},"schema":${json(event.schema)},` +
    `"tenant":${json(event.stream)},"type":${json(event.type)},"version":${json(event.version)}}`;
  return createHash('sha256').update(text).digest('hex');
}
