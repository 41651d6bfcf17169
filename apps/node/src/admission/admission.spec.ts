import { DomainError, mintHandle, newSigningKey, setDigest, signSet, statementHash, superuserSet } from '@gadwall/rbac';
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

let node: Admission;
beforeEach(() => {
  node = new Admission('n1');
  node.trust([manager.publicKey]);
});

test('a handle with a signed set is let in, and the set is kept', () => {
  expect(node.admit(handle(node), statement, signSet(manager, set)).set).toEqual(set);
  expect(node.admit(handle(node), statement).set).toEqual(set);
});

test('Q-A34: without a handle nothing is let in', () => {
  expect(code(() => node.admit('', statement))).toContain('handle_refused');
});

test('Q-L11: a handle that was minted for node A is refused by node B, by its name and by its key', () => {
  const other = new Admission('n2');
  other.trust([manager.publicKey]);
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
  const running = node.admit(handle(node, { tenant: 5, system: 2 }), statement, signSet(manager, set));
  expect(code(running.assertCurrent)).toBe('ok');
  expect(code(() => node.admit(handle(node, { tenant: 4, system: 2 }), statement))).toContain('stale');
  expect(code(() => node.admit(handle(node, { tenant: 5, system: 1 }), statement))).toContain('stale');
  node.admit(handle(node, { tenant: 6, system: 2 }), statement);
  expect(code(running.assertCurrent)).toContain('stale');
});

test('an expired handle is refused', () => {
  const late = new Admission('n1', () => Date.now() + 61_000);
  late.trust([manager.publicKey]);
  expect(code(() => late.admit(handle(late), statement, signSet(manager, set)))).toContain('expired');
});
