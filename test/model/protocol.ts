import {
  acknowledge,
  canStart,
  deadLeases,
  gone,
  grantLeases,
  type Instant,
  isCurrent,
  isSettled,
  learn,
  type NodeLease,
  openBarrier,
  type RenewalAnswer,
  renewed,
  reportOf,
  seeLeases,
  seeStore,
  unseal,
  type StreamHead,
  type VersionMessage,
} from '@gadwall/events';
import type { Snapshot } from './store';

/** Times of the model: clocks so far apart that a missing margin shows soon. */
export const TIMING = { ttlMs: 30, renewMs: 5, driftMargin: 0.4, barrierLimitMs: 60, keepAliveMs: 10 };

/** How much faster or slower than real time a clock may run; the margin covers two at its ends. */
export const DRIFT = 0.25;

/** One thing that a node does with a message, in order; a little time passes between two. */
export type NodeStep = 'acknowledge' | { acknowledge: StreamHead[] } | ((lease: NodeLease) => NodeLease);

/**
 * What the processes of the model do, with the functions that the product runs. A rule is broken by putting something else in
 * the place of one of them.
 */
export interface Protocol {
  unseal: typeof unseal;
  learn: typeof learn;
  canStart: typeof canStart;
  isCurrent: typeof isCurrent;
  hear(this: void, message: VersionMessage): NodeStep[];
  answered(this: void, answer: RenewalAnswer, sent: Instant, now: Instant): NodeStep[];
  /** Whether an answer counts that belongs to no renewal under way. */
  unasked: boolean;
  checksTwice: boolean;
  /** Whether what the engine has may go out under a handle that was minted anew. */
  sameSet(this: void, before: Snapshot, fresh: Snapshot): boolean;
  checksFresh: boolean;
  grantLeases: typeof grantLeases;
  openBarrier: typeof openBarrier;
  acknowledge: typeof acknowledge;
  reportOf: typeof reportOf;
  /** Whether the leases are read after the commit. */
  leasesAfterCommit: boolean;
  seeLeases: typeof seeLeases;
  deadLeases: typeof deadLeases;
  gone: typeof gone;
  seeStore: typeof seeStore;
  isSettled: typeof isSettled;
  /** Whether a set and the versions it is said to be of are read in one snapshot. */
  oneSnapshot: boolean;
}

export const REAL: Protocol = {
  unseal,
  learn,
  canStart,
  isCurrent,
  hear: (message) => [(lease) => learn(lease, message), 'acknowledge'],
  answered: (answer, sent, now) => [(lease) => renewed(lease, answer, sent, now, TIMING), 'acknowledge'],
  unasked: false,
  checksTwice: true,
  sameSet: (before, fresh) => before.digest === fresh.digest,
  checksFresh: true,
  grantLeases,
  openBarrier,
  acknowledge,
  reportOf,
  leasesAfterCommit: true,
  seeLeases,
  deadLeases,
  gone,
  seeStore,
  isSettled,
  oneSnapshot: true,
};
