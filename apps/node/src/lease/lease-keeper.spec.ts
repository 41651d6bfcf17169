import { ed25519Signer, type RenewalAnswer, seal } from '@gadwall/events';
import { newSigningKey } from '@gadwall/rbac';
import { LeaseKeeper } from '.';

const manager = newSigningKey();
const sign = ed25519Signer(manager.privateKey);
const HOUR = 3_600_000;

let clocks: { monotonic: number; wall: number };
let lease: LeaseKeeper;

beforeEach(() => {
  clocks = { monotonic: 1000, wall: 1_900_000_000_000 };
  lease = new LeaseKeeper('n1', () => ({ ...clocks }));
  lease.trust([manager.publicKey], { ttlMs: 3000, driftMargin: 0.05 });
});

/** A renewal that is answered after a while on both clocks. */
function renew(timeline: string, version: number, answeredAfter = 0): void {
  const { content } = JSON.parse(lease.renewal().body) as { content: { nonce: string } };
  pass(answeredAfter);
  const heads = [
    { stream: 'acme', version, hash: `a${version}` },
    { stream: '$system', version: 1, hash: 's1' },
  ];
  const answer: RenewalAnswer = { nodeId: 'n1', nonce: content.nonce, timeline, heads };
  lease.renewed(seal('renewal-answer', answer, sign));
}

function pass(ms: number): void {
  clocks.monotonic += ms;
  clocks.wall += ms;
}

const code = (version: number, timeline = 't1') => {
  try {
    lease.assertCurrent({ tenant: 'acme', timeline, versions: { tenant: version, system: 1 } });
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('rule 1: the clocks', () => {
  test('without a renewal nothing starts', () => expect(code(1)).toBe('authz_unavailable'));

  test('a lease lasts a TTL less the margin, from when its renewal was sent', () => {
    renew('t1', 1, 2000);
    pass(849);
    expect(code(1)).toBe('ok');
    pass(1);
    expect(code(1)).toBe('authz_unavailable');
  });

  test.each([
    ['forth: it has lapsed', HOUR, 0, 'authz_unavailable'],
    ['back: it lasts no longer for that', -HOUR, 2850, 'authz_unavailable'],
    ['back: it lasts as long as it would have', -HOUR, 2849, 'ok'],
  ])('the wall clock is set %s', (_, by, later, expected) => {
    renew('t1', 1);
    clocks.wall += by;
    pass(later);
    expect(code(1)).toBe(expected);
  });

  test('a wall clock that was set is made up for by the next renewal', () => {
    renew('t1', 1);
    clocks.wall += HOUR;
    pass(1);
    renew('t1', 1);
    expect(code(1)).toBe('ok');
    clocks.wall -= 2 * HOUR;
    pass(1);
    renew('t1', 1);
    pass(2849);
    expect(code(1)).toBe('ok');
  });

  test('the machine slept: the monotonic clock stood still, and the lease has lapsed all the same', () => {
    renew('t1', 1);
    clocks.wall += 2850;
    expect(code(1)).toBe('authz_unavailable');
  });
});

describe('rule 7: never lowered', () => {
  test('an older answer that comes late changes nothing', () => {
    const { content } = JSON.parse(lease.renewal().body) as { content: { nonce: string } };
    renew('t1', 5);
    const heads = [{ stream: 'acme', version: 4, hash: 'a4' }];
    lease.renewed(seal('renewal-answer', { nodeId: 'n1', nonce: content.nonce, timeline: 't1', heads }, sign));
    expect(code(4)).toBe('stale');
  });

  test('a new timeline resets what is known, and handles of the old one are stale', () => {
    renew('t1', 5);
    renew('t2', 3);
    expect([code(3, 't2'), code(5, 't1'), code(2, 't2')]).toEqual(['ok', 'stale', 'stale']);
  });

  test('an answer to a renewal that was sent before the new timeline does not bring the old one back', () => {
    const { content } = JSON.parse(lease.renewal().body) as { content: { nonce: string } };
    pass(10);
    renew('t2', 3);
    const heads = [{ stream: 'acme', version: 9, hash: 'a9' }];
    lease.renewed(seal('renewal-answer', { nodeId: 'n1', nonce: content.nonce, timeline: 't1', heads }, sign));
    expect(code(3, 't2')).toBe('ok');
  });
});

describe('what has become of principals', () => {
  const answer = { nodeId: 'n1', nonce: 'of the question', principals: [] };
  const stranger = ed25519Signer(newSigningKey().privateKey);

  test('is taken from the manager, as the answer to the question', () => {
    expect(lease.principals(seal('principals-answer', answer, sign), 'of the question')).toEqual(answer);
  });

  test.each<[string, unknown]>([
    ['a stranger', seal('principals-answer', answer, stranger)],
    ['nobody', answer],
    ['the manager to another question', seal('principals-answer', { ...answer, nonce: 'other' }, sign)],
    ['the manager to another node', seal('principals-answer', { ...answer, nodeId: 'n2' }, sign)],
    ['the manager about something else', seal('version', { timeline: 't1', heads: [] }, sign)],
  ])('is not taken from %s', (_, signed) => {
    expect(lease.principals(signed, 'of the question')).toBeNull();
  });
});
