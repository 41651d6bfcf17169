import type { StreamHead } from './messages';
import type { LeaseTiming } from './timing';

/** A row of the table of leases. */
export interface LeaseRow {
  nodeId: string;
  /** The streams that its statements depend on. */
  streams: readonly string[];
  /** Moves with every renewal, and is never the same again: not after the row was removed and made anew either. */
  counter: number;
  /** What the node said that it has applied. */
  known: readonly StreamHead[];
}

export type NodeState = 'acknowledged' | 'lease-lapsed' | 'outstanding';

interface Awaited {
  streams: readonly string[];
  /** When it was known to be done, monotonic ms of the waiter. */
  done: { at: number; state: NodeState } | null;
}

/** The wait of a mutation until no node can start a statement under an older version. Times in monotonic ms of the waiter. */
export interface Barrier {
  readonly moved: readonly StreamHead[];
  readonly startedAt: number;
  /** By id; null when the leases could not be read, or may not be all there: then only time helps. */
  readonly nodes: ReadonlyMap<string, Awaited>;
  readonly complete: boolean;
  /** Every lease that was given before the mutation has lapsed by then. */
  readonly lapsedAt: number;
}

export interface BarrierReport {
  effective: boolean;
  nodes: { nodeId: string; state: NodeState; ms: number }[];
}

/** The hash of the event of that version, as the waiter's store has it; undefined when it has none such. */
export type HashOf = (stream: string, version: number) => string | undefined;

/**
 * Opens the barrier of a mutation that has committed.
 *
 * @param read the leases, read after the commit, and when (DESIGN section 5, "Barrier"); null when they could not be
 * @param settled whether the store is known to have lost no lease for a TTL (rule 5)
 */
export function openBarrier(
  moved: readonly StreamHead[],
  read: { rows: readonly LeaseRow[] | null; at: number; settled: boolean },
  startedAt: number,
  hashOf: HashOf,
  { ttlMs }: Pick<LeaseTiming, 'ttlMs'>,
): Barrier {
  const serving = (read.rows ?? []).filter(({ streams }) => moved.some(({ stream }) => streams.includes(stream)));
  const nodes = new Map(serving.map(({ nodeId, streams }) => [nodeId, { streams, done: null } satisfies Awaited]));
  const complete = read.rows !== null && read.settled;
  // A waiter trusts no stored expiry: rule 1.
  const open: Barrier = { moved, startedAt, nodes, complete, lapsedAt: read.at + ttlMs };
  return serving.reduce((barrier, row) => acknowledge(barrier, row.nodeId, row.known, hashOf, read.at), open);
}

/** A node said what it has applied: it counts if it is new enough and of the history that the waiter knows (rule 7). */
export function acknowledge(
  barrier: Barrier,
  nodeId: string,
  heads: readonly StreamHead[],
  hashOf: HashOf,
  now: number,
): Barrier {
  const node = barrier.nodes.get(nodeId);
  if (!node || node.done) return barrier;
  const applied = barrier.moved
    .filter(({ stream }) => node.streams.includes(stream))
    .every(({ stream, version }) =>
      heads.some(
        (head) => head.stream === stream && head.version >= version && head.hash === hashOf(stream, head.version),
      ),
    );
  return applied ? done(barrier, nodeId, node, now, 'acknowledged') : barrier;
}

/** The node's process has ended: it starts nothing any more. */
export function gone(barrier: Barrier, nodeId: string, now: number): Barrier {
  const node = barrier.nodes.get(nodeId);
  return node && !node.done ? done(barrier, nodeId, node, now, 'lease-lapsed') : barrier;
}

/** How the barrier stands. */
export function reportOf(barrier: Barrier, now: number): BarrierReport {
  const lapsed = now >= barrier.lapsedAt;
  const nodes = [...barrier.nodes].map(([nodeId, { done }]) => ({
    nodeId,
    state: done?.state ?? (lapsed ? ('lease-lapsed' as const) : ('outstanding' as const)),
    ms: (done?.at ?? Math.min(now, barrier.lapsedAt)) - barrier.startedAt,
  }));
  const all = barrier.complete && nodes.every(({ state }) => state !== 'outstanding');
  return { effective: all || lapsed, nodes };
}

function done(barrier: Barrier, nodeId: string, node: Awaited, at: number, state: NodeState): Barrier {
  return { ...barrier, nodes: new Map(barrier.nodes).set(nodeId, { ...node, done: { at, state } }) };
}
