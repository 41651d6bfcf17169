import type { LeaseRow } from './barrier';

/** What a manager has seen of the rows of a store: the counter of each node, and since when on its own monotonic clock, ms. */
export interface SeenLeases {
  /** Another server may count anew. */
  readonly store: Pick<StoreIdentity, 'timeline' | 'startedAt'> | null;
  readonly nodes: ReadonlyMap<string, { counter: number; since: number }>;
}

export const NO_LEASES_SEEN: SeenLeases = { store: null, nodes: new Map() };

/** The rows as they are now. */
export function seeLeases(
  seen: SeenLeases,
  store: StoreIdentity,
  rows: readonly Pick<LeaseRow, 'nodeId' | 'counter'>[],
  now: number,
): SeenLeases {
  const same = seen.store?.timeline === store.timeline && seen.store.startedAt === store.startedAt;
  const nodes = rows.map(({ nodeId, counter }) => {
    const before = same ? seen.nodes.get(nodeId) : undefined;
    return [nodeId, before?.counter === counter ? before : { counter, since: now }] as const;
  });
  return { store, nodes: new Map(nodes) };
}

/** Rows to remove, if their counter still is this: it has not changed for a TTL of the manager's clock (DESIGN section 5, rule 1). */
export function deadLeases(seen: SeenLeases, ttlMs: number, now: number): { nodeId: string; counter: number }[] {
  return [...seen.nodes].flatMap(([nodeId, { counter, since }]) => (now - since > ttlMs ? [{ nodeId, counter }] : []));
}

/** What a store says of itself. */
export interface StoreIdentity {
  /** Its system and timeline: another one after a failover or a restore. */
  timeline: string;
  /** Its process: another one after a restart. */
  startedAt: string;
  /** For how long it certainly has lost nothing, ms; null when it cannot say. */
  ageMs: number | null;
}

/** A store as a manager has seen it, and since when it is known to have lost no lease, monotonic ms. */
export interface SeenStore {
  timeline: string;
  startedAt: string;
  since: number;
}

export function seeStore(seen: SeenStore | null, store: StoreIdentity, now: number): SeenStore {
  if (seen !== null && seen.timeline === store.timeline && seen.startedAt === store.startedAt) return seen;
  const since = seen === null && store.ageMs !== null ? now - store.ageMs : now;
  return { timeline: store.timeline, startedAt: store.startedAt, since };
}

/** Whether no lease that still lasts can be missing: the store is older than a TTL, on its timeline (DESIGN section 5, rule 5). */
export function isSettled(seen: SeenStore | null, ttlMs: number, now: number): boolean {
  return seen !== null && now - seen.since >= ttlMs;
}
