/** Who asked for a change. `id` is the user's id; null for the static key and for the system itself. */
export interface Actor {
  kind: 'superuser' | 'user' | 'api-key' | 'system';
  id: string | null;
}

/** Goes into every event of a mutation. */
export interface MutationContext {
  actor: Actor;
  requestId: string;
  /** Id of the event or command that led to this mutation, if one did. */
  causationId?: string;
}

/** An event as a decider makes it. */
export interface NewEvent {
  /** `$system` or a tenant id. */
  stream: string;
  /** A name of its own, not a class name. */
  type: string;
  /** Version of the shape of `data`, from 1. */
  schema: number;
  /** JSON only; ids of users, never names, hashes or tokens (DESIGN section 3, invariants 8 and 12). */
  data: Record<string, unknown>;
}

/** An event of the log. */
export interface RecordedEvent extends NewEvent {
  /** For display and replay: rises with cause and effect over all streams. A 64 bit integer in decimal. */
  position: string;
  /** Gap-free in its stream, from 1. */
  version: number;
  /** UUIDv7. */
  id: string;
  actor: string | null;
  actorKind: Actor['kind'];
  requestId: string;
  causationId: string | null;
  /** Set by the application, to the millisecond. */
  at: Date;
  /** `hash` of the event before it in its stream, 64 zeros for the first. */
  prevHash: string;
  /** SHA-256 in hex, see `eventHash`. */
  hash: string;
}

/** The stream of tenants, superusers and of what spans tenants. */
export const SYSTEM_STREAM = '$system';

/** What a stream's chain starts from. */
export const GENESIS_HASH = '0'.repeat(64);
