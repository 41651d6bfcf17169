import { randomBytes } from 'node:crypto';
import { DomainError, mintHandle, newSigningKey, setDigest, signSet, statementHash, superuserSet } from '@gadwall/rbac';
import { ed25519Signer, type RenewalAnswer, seal, SYSTEM_STREAM } from '@gadwall/events';
import { LeaseKeeper } from '../lease';
import { Admission } from '.';

const manager = newSigningKey();
const set = { ...superuserSet('ana'), tenant: 'acme' };
const statement = statementHash('SELECT 1', []);

const handle = (node: Admission, versions = { tenant: 1, system: 1 }, setDigestOf = setDigest(set)) =>
  mintHandle(
    node.key,
    {
      userId: 'u',
      setDigest: setDigestOf,
      nodeId: node.nodeId,
      tenant: 'acme',
      poolId: 'p',
      versions,
      timeline: TIMELINE,
      session: null,
      statement,
    },
    Date.now(),
  );
const code = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return (error as DomainError).message === ''
      ? ''
      : `${(error as DomainError).code}: ${(error as DomainError).message}`;
  }
  return 'ok';
};

const TIMELINE = 'store/1';
const sign = ed25519Signer(manager.privateKey);

/** Gives the node a lease, with what its manager says that the versions are. */
function renew(lease: LeaseKeeper, versions: { tenant: number; system: number }): void {
  const { nonce } = (JSON.parse(lease.renewal().body) as { content: { nonce: string } }).content;
  const answer: RenewalAnswer = { nodeId: lease.nodeId, nonce, timeline: TIMELINE, heads: headsOf(versions) };
  lease.renewed(seal('renewal-answer', answer, sign));
}

const headsOf = ({ tenant, system }: { tenant: number; system: number }) => [
  { stream: 'acme', version: tenant, hash: `a${tenant}` },
  { stream: SYSTEM_STREAM, version: system, hash: `s${system}` },
];

function newNode(
  nodeId: string,
  now?: () => number,
): { node: Admission; lease: LeaseKeeper; clock: { skipped: number } } {
  const clock = { skipped: 0 };
  const lease = new LeaseKeeper(nodeId, () => ({ monotonic: performance.now() + clock.skipped, wall: Date.now() }));
  lease.trust([manager.publicKey], { ttlMs: 3000, driftMargin: 0.05 });
  renew(lease, { tenant: 1, system: 1 });
  const admission = new Admission(lease, randomBytes(32), now);
  admission.trust([manager.publicKey]);
  return { node: admission, lease, clock };
}

let node: Admission;
let lease: LeaseKeeper;
let clock: { skipped: number };
beforeEach(() => ({ node, lease, clock } = newNode('n1')));

test('a handle with a signed set is let in, and the set is kept', () => {
  expect(node.admit(handle(node), statement, signSet(manager, set)).set).toEqual(set);
  expect(node.admit(handle(node), statement).set).toEqual(set);
});

test('Q-A34: without a handle nothing is let in', () => {
  expect(code(() => node.admit('', statement))).toContain('handle_refused');
});

test('Q-L11: a handle that was minted for node A is refused by node B, by its name and by its key', () => {
  const { node: other } = newNode('n2');
  expect(code(() => other.admit(handle(node), statement, signSet(manager, set)))).toContain('signature');
  const named = mintHandle(
    other.key,
    {
      userId: 'u',
      setDigest: setDigest(set),
      nodeId: 'n1',
      tenant: 'acme',
      poolId: 'p',
      versions: { tenant: 1, system: 1 },
      timeline: TIMELINE,
      session: null,
      statement,
    },
    Date.now(),
  );
  expect(code(() => other.admit(named, statement, signSet(manager, set)))).toContain('node');
});

describe('Q-L14: a forged set is refused', () => {
  const root = superuserSet('ana');
  test.each([
    ['unsigned', () => ({ set: root, signature: '' }), setDigest(root)],
    ['signed by a stranger', () => signSet(newSigningKey(), root), setDigest(root)],
    ['of another digest than the handle names', () => signSet(manager, root), setDigest(set)],
    ['changed after it was signed', () => ({ ...signSet(manager, set), set: root }), setDigest(root)],
  ])('%s', (_, signed, digest) => {
    expect(code(() => node.admit(handle(node, { tenant: 1, system: 1 }, digest), statement, signed()))).toContain(
      'set_unknown',
    );
  });
});

test('a nonce is good once', () => {
  const once = handle(node);
  expect(code(() => node.admit(once, statement, signSet(manager, set)))).toBe('ok');
  expect(code(() => node.admit(once, statement))).toContain('nonce');
});

test('a handle older than what the node knows is STALE, and one under way is overtaken', () => {
  renew(lease, { tenant: 5, system: 2 });
  const running = node.admit(handle(node, { tenant: 5, system: 2 }), statement, signSet(manager, set));
  expect(code(running.assertCurrent)).toBe('ok');
  expect(code(() => node.admit(handle(node, { tenant: 4, system: 2 }), statement))).toContain('stale');
  expect(code(() => node.admit(handle(node, { tenant: 5, system: 1 }), statement))).toContain('stale');
  lease.heard(seal('version', { timeline: TIMELINE, heads: headsOf({ tenant: 6, system: 2 }) }, sign));
  expect(code(running.assertCurrent)).toContain('stale');
});

test('a handle newer than what the node knows is let in, and teaches it nothing', () => {
  node.admit(handle(node, { tenant: 9, system: 1 }), statement, signSet(manager, set));
  expect(code(() => node.admit(handle(node), statement))).toBe('ok');
  expect(lease.versions).toEqual({ acme: 1, $system: 1 });
});

test('when the lease has lapsed nothing starts, and what is under way does not pass its second check', () => {
  const running = node.admit(handle(node), statement, signSet(manager, set));
  clock.skipped = 3000;
  expect(code(running.assertCurrent)).toBe('authz_unavailable: authorization unavailable, retry');
  expect(code(() => node.admit(handle(node), statement))).toContain('authz_unavailable');
  expect(lease.refused).toBe(2);
  renew(lease, { tenant: 1, system: 1 });
  expect(code(running.assertCurrent)).toBe('ok');
});

describe('what no manager said to this node, now, changes nothing', () => {
  const forged = ed25519Signer(newSigningKey().privateKey);
  const message = { timeline: TIMELINE, heads: headsOf({ tenant: 50, system: 50 }) };
  const { nonce } = { nonce: 'made-up' };
  const answer = { nodeId: 'n1', nonce, ...message };

  test.each([
    ['a version message signed by a stranger', () => lease.heard(seal('version', message, forged))],
    [
      'an acknowledgement taken for a version message',
      () => lease.heard(seal('acknowledgement', { nodeId: 'n1', ...message }, sign)),
    ],
    [
      'a message with another body than was signed',
      () => lease.heard({ ...seal('version', message, sign), body: '{}' }),
    ],
    ['something that is no message', () => lease.heard(null)],
    ['a message of another timeline', () => lease.heard(seal('version', { ...message, timeline: 'store/2' }, sign))],
    ['an answer to a renewal that was not sent', () => lease.renewed(seal('renewal-answer', answer, sign))],
  ])('%s', (_, hear) => {
    clock.skipped = 3000;
    hear();
    expect(lease.versions).toEqual({ acme: 1, $system: 1 });
    expect(lease.lasts).toBe(false);
  });

  test('the answer to a renewal, given twice: the second time it is no answer', () => {
    const { content } = JSON.parse(lease.renewal().body) as { content: { nonce: string } };
    const signed = seal('renewal-answer', { ...answer, nonce: content.nonce }, sign);
    expect(lease.renewed(signed)).toBe(true);
    expect(lease.renewed(signed)).toBe(false);
  });
});

test('B-413: a version message delivered twice is applied once', () => {
  const told: number[] = [];
  lease.onLearned(() => told.push(lease.versions.acme ?? 0));
  const message = seal('version', { timeline: TIMELINE, heads: headsOf({ tenant: 2, system: 1 }) }, sign);
  lease.heard(message);
  lease.heard(message);
  expect(told).toEqual([2]);
});

test('an expired handle is refused', () => {
  const { node: late } = newNode('n1', () => Date.now() + 61_000);
  expect(code(() => late.admit(handle(late), statement, signSet(manager, set)))).toContain('expired');
});

test('a fresh handle is taken for the same statement of the same principal only', () => {
  const { node, lease } = newNode('n_1');
  const before = node.admit(handle(node), statement, signSet(manager, set)).handle;
  renew(lease, { tenant: 2, system: 1 });
  expect(() => node.admitAgain(handle(node), before)).toThrow('no longer current');
  const fresh = handle(node, { tenant: 2, system: 1 }, 'another');
  expect(node.admitAgain(fresh, before).handle.setDigest).toBe('another');
  expect(() => node.admitAgain(fresh, before)).toThrow('nonce');
  const again = () => handle(node, { tenant: 2, system: 1 });
  for (const other of [{ userId: 'v' }, { tenant: 'globex' }, { poolId: 'q' }, { session: 's' }]) {
    expect(() => node.admitAgain(again(), { ...before, ...other })).toThrow('handle');
  }
  expect(() => node.admitAgain(again(), { ...before, statement: statementHash('SELECT 2', []) })).toThrow('statement');
});
