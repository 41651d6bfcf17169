import type { RenewalAnswer, StreamHead, VersionMessage } from './messages';
import type { LeaseTiming } from './timing';

/** One moment on the two clocks of a process. The monotonic one may stand still while the machine sleeps, the wall clock may be set. */
export interface Instant {
  /** ms. */
  monotonic: number;
  /** ms since the epoch. */
  wall: number;
}

/**
 * What a node holds of the protocol: the newest versions that it has heard of and until when it may start statements.
 * Source: DESIGN section 5, rules 1, 3 and 7.
 */
export interface NodeLease {
  /** The history of the store that the versions belong to; null before the first renewal. */
  readonly timeline: string | null;
  /** When the timeline was taken on, monotonic ms. */
  readonly adoptedAt: number;
  /** By stream. */
  readonly known: ReadonlyMap<string, StreamHead>;
  /** When the renewal in force was sent, monotonic ms. */
  readonly renewedAt: number;
  /** No statement starts from then on, on whichever clock it comes first. */
  readonly deadline: Instant;
}

/** The times that a node counts by. */
export type NodeTiming = Pick<LeaseTiming, 'ttlMs' | 'driftMargin'>;

const NEVER = Number.NEGATIVE_INFINITY;

/** A node that has just started: it may do nothing. */
export const NO_LEASE: NodeLease = {
  timeline: null,
  adoptedAt: NEVER,
  known: new Map(),
  renewedAt: NEVER,
  deadline: { monotonic: NEVER, wall: NEVER },
};

/**
 * A message of the bus: versions only rise, so duplicates and reordering do no harm. One of another timeline is none of this
 * node's business: only a renewal's answer brings a new one.
 */
export function learn(lease: NodeLease, { timeline, heads }: VersionMessage): NodeLease {
  if (timeline !== lease.timeline) return lease;
  const newer = heads.filter(({ stream, version }) => version > (lease.known.get(stream)?.version ?? 0));
  if (newer.length === 0) return lease;
  return { ...lease, known: withHeads(lease.known, newer) };
}

/**
 * The answer to a renewal that was sent at `sent`: its versions are applied, and with them the deadline moves, counted from
 * when the renewal was sent. A new timeline replaces the known versions; an answer to a renewal that was sent before the
 * present one was taken on cannot bring the old one back.
 */
export function renewed(
  lease: NodeLease,
  answer: RenewalAnswer,
  sent: Instant,
  now: Instant,
  timing: NodeTiming,
): NodeLease {
  if (answer.timeline !== lease.timeline) {
    if (sent.monotonic < lease.adoptedAt) return lease;
    const fresh = { ...NO_LEASE, timeline: answer.timeline, adoptedAt: now.monotonic };
    return extended({ ...fresh, known: withHeads(new Map(), answer.heads) }, sent, timing);
  }
  return extended(learn(lease, answer), sent, timing);
}

/** An answer that overtook an older one's is not undone by it. */
function extended(lease: NodeLease, sent: Instant, { ttlMs, driftMargin }: NodeTiming): NodeLease {
  if (sent.monotonic <= lease.renewedAt) return lease;
  const lasts = ttlMs * (1 - driftMargin);
  const deadline = { monotonic: sent.monotonic + lasts, wall: sent.wall + lasts };
  return { ...lease, renewedAt: sent.monotonic, deadline };
}

/** Whether a statement may start: the lease lasts on both clocks. */
export function canStart({ deadline }: NodeLease, now: Instant): boolean {
  return now.monotonic < deadline.monotonic && now.wall < deadline.wall;
}

/** Whether versions of a timeline are at least as new as what the node knows. A stream that it does not follow counts as old. */
export function isCurrent(lease: NodeLease, timeline: string, versions: Readonly<Record<string, number>>): boolean {
  return (
    timeline === lease.timeline &&
    Object.entries(versions).every(([stream, version]) => version >= (lease.known.get(stream)?.version ?? Infinity))
  );
}

function withHeads(known: ReadonlyMap<string, StreamHead>, heads: readonly StreamHead[]): Map<string, StreamHead> {
  return new Map([...known, ...heads.map((head) => [head.stream, head] as const)]);
}
