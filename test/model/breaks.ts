import { type NodeLease, renewed, unseal, type Verify } from '@gadwall/events';
import { type Protocol, REAL, TIMING } from './protocol';

const withMargin = (driftMargin: number) => ({ ...TIMING, driftMargin });
const anySignature: Verify = () => true;

/** Each rule of DESIGN section 5, broken on purpose: what stands in the place of what. */
export const BREAKS: Record<string, Partial<Protocol>> = {
  // 1. Clocks.
  'the deadline counts from the receipt of the answer': {
    answered: (answer, _, now) => [(lease) => renewed(lease, answer, now, now, TIMING), 'acknowledge'],
  },
  'no margin for drift': {
    answered: (answer, sent, now) => [(lease) => renewed(lease, answer, sent, now, withMargin(0)), 'acknowledge'],
  },
  'the wall clock alone': { canStart: ({ deadline }, now) => now.wall < deadline.wall },
  'the monotonic clock alone': { canStart: ({ deadline }, now) => now.monotonic < deadline.monotonic },
  'a waiter that waits for less than a TTL': {
    openBarrier: (moved, read, startedAt, hashOf) =>
      REAL.openBarrier(moved, read, startedAt, hashOf, { ttlMs: TIMING.ttlMs / 2 }),
  },
  'rows removed before a TTL has passed': {
    deadLeases: (seen, _, now) => REAL.deadLeases(seen, 0, now),
  },
  'rows removed without a look at their counter': {
    seeLeases: (seen, store, rows, now) => ({
      store,
      nodes: new Map(
        rows.map(({ nodeId, counter }) => [nodeId, { counter, since: seen.nodes.get(nodeId)?.since ?? now }]),
      ),
    }),
  },

  // 2. Write, then read; and leases are read after the commit.
  'versions read before the lease is committed': {
    grantLeases: async (table, renewals) => {
      const read = await table.read([...new Set(renewals.flatMap(({ streams }) => streams))]);
      return REAL.grantLeases({ write: (rows) => table.write(rows), read: () => Promise.resolve(read) }, renewals);
    },
  },
  'leases read before the commit': { leasesAfterCommit: false },

  // 3. Apply, then extend; apply, then acknowledge.
  'extended before the versions are applied': {
    answered: (answer, sent, now) => {
      const extend = (lease: NodeLease) =>
        lease.timeline === answer.timeline ? renewed(lease, { ...answer, heads: [] }, sent, now, TIMING) : lease;
      return [
        extend,
        (lease) => renewed(lease, answer, sent, now, TIMING),
        (lease) => REAL.learn(lease, answer),
        'acknowledge',
      ];
    },
  },
  'acknowledged before the versions are applied': {
    hear: (message) => [{ acknowledge: message.heads }, (lease) => REAL.learn(lease, message)],
  },

  // 4. Start is checked twice.
  'no second check': { checksTwice: false },
  'a fresh handle of another set is taken': { sameSet: () => true },
  'a fresh handle is not checked': { checksFresh: false },
  'no comparison of versions': { isCurrent: () => true },

  // 5. The store.
  'a young store is trusted': { isSettled: () => true },
  'handles of another timeline are taken': {
    isCurrent: (lease, _, versions) => REAL.isCurrent(lease, lease.timeline ?? '', versions),
  },

  // 6. One snapshot.
  'a set read before its versions': { oneSnapshot: false },

  // 7. Never lowered.
  'a known version is lowered by an older message': {
    hear: (message) => [
      (lease) =>
        message.timeline === lease.timeline
          ? { ...lease, known: new Map([...lease.known, ...message.heads.map((head) => [head.stream, head] as const)]) }
          : lease,
      'acknowledge',
    ],
  },
  'messages are taken whoever signed them': {
    unseal: (kind, signed) => unseal(kind, signed, anySignature),
  },
  'answers are taken that belong to no renewal': { unasked: true },
  'the bus brings a new timeline': {
    hear: (message) => [
      (lease) =>
        message.timeline === lease.timeline
          ? REAL.learn(lease, message)
          : REAL.learn({ ...lease, timeline: message.timeline, known: new Map() }, message),
      'acknowledge',
    ],
  },
  'an acknowledgement without a look at its hash': {
    acknowledge: (barrier, nodeId, heads, _, now) =>
      REAL.acknowledge(
        barrier,
        nodeId,
        heads,
        (stream, version) => heads.find((head) => head.stream === stream && head.version === version)?.hash,
        now,
      ),
  },
};
