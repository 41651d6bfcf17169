import {
  acknowledge,
  type Barrier,
  deadLeases,
  gone,
  isSettled,
  leaseTiming,
  NO_LEASES_SEEN,
  openBarrier,
  reportOf,
  seeLeases,
  seeStore,
  type StreamHead,
} from '.';

const timing = leaseTiming({});
const head = (version: number, hash = `a${version}`): StreamHead => ({ stream: 'acme', version, hash });
const hashOf = (_: string, version: number) => `a${version}`;
const row = (nodeId: string, known: StreamHead[], streams = ['acme', '$system']) => ({
  nodeId,
  streams,
  counter: 1,
  known,
});

const open = (rows: ReturnType<typeof row>[] | null, settled = true): Barrier =>
  openBarrier([head(5)], { rows, at: 100, settled }, 90, hashOf, timing);
const states = (barrier: Barrier, now: number) => reportOf(barrier, now).nodes.map(({ state }) => state);

describe('a barrier', () => {
  test('without a lease is over at once; with one that has acknowledged too', () => {
    expect(reportOf(open([]), 100)).toEqual({ effective: true, nodes: [] });
    expect(reportOf(open([row('n1', [head(5)])]), 100)).toEqual({
      effective: true,
      nodes: [{ nodeId: 'n1', state: 'acknowledged', ms: 10 }],
    });
  });

  test('does not wait for nodes of other tenants', () => {
    expect(reportOf(open([row('n1', [], ['globex', '$system'])]), 100).effective).toBe(true);
  });

  test.each<[string, StreamHead[], boolean]>([
    ['this version', [head(5)], true],
    ['a later one', [head(7)], true],
    ['an older one', [head(4)], false],
    ['this version of another history', [head(5, 'b5')], false],
    ['a later one of another history', [head(7, 'b7')], false],
    ['another stream', [{ ...head(9), stream: '$system' }], false],
  ])('waits for an acknowledgement; one of %s', (_, heads, counts) => {
    const acknowledged = acknowledge(open([row('n1', [])]), 'n1', heads, hashOf, 150);
    expect(reportOf(acknowledged, 150).effective).toBe(counts);
  });

  test('waits for every node, and at most a TTL from when it read the leases', () => {
    const one = acknowledge(open([row('n1', []), row('n2', [])]), 'n1', [head(5)], hashOf, 150);
    expect(states(one, 3099)).toEqual(['acknowledged', 'outstanding']);
    expect(reportOf(one, 3099).effective).toBe(false);
    expect(states(one, 3100)).toEqual(['acknowledged', 'lease-lapsed']);
    expect(reportOf(one, 3100).effective).toBe(true);
  });

  test('does not wait for a node whose process has ended', () => {
    expect(reportOf(gone(open([row('n1', [])]), 'n1', 120), 120).effective).toBe(true);
  });

  test.each([
    ['the leases could not be read', null, true],
    ['some may be missing', [], false],
  ])('waits a TTL when %s', (_, rows, settled) => {
    expect(reportOf(open(rows, settled), 3099).effective).toBe(false);
    expect(reportOf(open(rows, settled), 3100).effective).toBe(true);
  });
});

describe('a store', () => {
  const store = { timeline: 's/1', startedAt: 'noon', ageMs: null };

  test('is settled a TTL after it was first seen, or by what it says of itself', () => {
    expect(isSettled(seeStore(null, store, 0), 3000, 2999)).toBe(false);
    expect(isSettled(seeStore(null, store, 0), 3000, 3000)).toBe(true);
    expect(isSettled(seeStore(null, { ...store, ageMs: 3000 }, 0), 3000, 0)).toBe(true);
  });

  test.each([{ timeline: 's/2' }, { startedAt: 'one' }])('that became another one is young: %j', (change) => {
    const seen = seeStore(seeStore(null, store, 0), { ...store, ...change, ageMs: 9999 }, 5000);
    expect(isSettled(seen, 3000, 7999)).toBe(false);
    expect(isSettled(seen, 3000, 8000)).toBe(true);
  });
});

describe('the leases of nodes that are no more', () => {
  const store = { timeline: 's/1', startedAt: 'noon', ageMs: null };
  const at = (counter: number) => [{ nodeId: 'n1', counter }];
  const seen = seeLeases(NO_LEASES_SEEN, store, at(7), 0);

  test('are those whose counter has not moved for more than a TTL', () => {
    expect(deadLeases(seeLeases(seen, store, at(7), 3000), 3000, 3000)).toEqual([]);
    expect(deadLeases(seeLeases(seen, store, at(7), 3001), 3000, 3001)).toEqual([{ nodeId: 'n1', counter: 7 }]);
    expect(deadLeases(seeLeases(seen, store, at(8), 3001), 3000, 3001)).toEqual([]);
  });

  test('are looked at afresh when the server is another one', () => {
    const other = { ...store, startedAt: 'one' };
    expect(deadLeases(seeLeases(seen, other, at(7), 3001), 3000, 3001)).toEqual([]);
  });
});
