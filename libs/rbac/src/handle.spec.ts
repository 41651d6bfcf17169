import { randomBytes } from 'node:crypto';
import { superuserSet } from './effective-set';
import { HANDLE_TTL_MS, mintHandle, openHandle, statementHash } from './handle';
import { newSigningKey, openSet, signSet } from './signed-set';

const key = randomBytes(32);
const content = {
  userId: 'u1',
  setDigest: 'd',
  nodeId: 'n1',
  tenant: 'acme',
  poolId: 'p',
  versions: { tenant: 3, system: 1 },
  timeline: 't1',
  session: null,
  statement: statementHash('SELECT 1', []),
};
const expected = { nodeId: 'n1', statement: content.statement };

describe('a handle', () => {
  test('tells the node who runs what, and is fresh each time', () => {
    const [a, b] = [mintHandle(key, content, 1000), mintHandle(key, content, 1000)];
    const opened = openHandle(key, a, expected, 1000);
    expect(opened).toMatchObject({ handle: { ...content, expiresAt: 1000 + HANDLE_TTL_MS } });
    expect(a).not.toBe(b);
  });

  test.each([
    ['of another node’s key', () => openHandle(randomBytes(32), mintHandle(key, content, 0), expected, 0), 'signature'],
    ['for another node', () => openHandle(key, mintHandle(key, content, 0), { ...expected, nodeId: 'n2' }, 0), 'node'],
    ['that is old', () => openHandle(key, mintHandle(key, content, 0), expected, HANDLE_TTL_MS), 'expired'],
    [
      'for another statement',
      () => openHandle(key, mintHandle(key, content, 0), { ...expected, statement: statementHash('SELECT 2', []) }, 0),
      'statement',
    ],
    ['that is no handle', () => openHandle(key, 'x', expected, 0), 'malformed'],
    ['with more behind it', () => openHandle(key, `${mintHandle(key, content, 0)}.x`, expected, 0), 'malformed'],
    [
      'whose content was changed',
      () => {
        const [body = '', signature = ''] = mintHandle(key, content, 0).split('.');
        const forged = { ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), userId: 'root' };
        return openHandle(
          key,
          `${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${signature}`,
          expected,
          0,
        );
      },
      'signature',
    ],
  ])('%s is refused', (_, open, refused) => expect(open()).toEqual({ refused }));

  test('the parameters are part of the statement', () => {
    expect(statementHash('SELECT ?', [1])).not.toBe(statementHash('SELECT ?', ['1']));
    expect(statementHash('SELECT ?', [1])).not.toBe(statementHash('SELECT ?', [2]));
  });
});

describe('a signed set', () => {
  const mine = newSigningKey();
  const set = superuserSet('root');

  test('opens with the key that signed it, among others', () => {
    const keys = [newSigningKey().publicKey, mine.publicKey];
    expect(openSet(keys, signSet(mine, set))?.set).toEqual(set);
  });

  test.each([
    ['no key of ours signed it', () => openSet([mine.publicKey], signSet(newSigningKey(), set))],
    [
      'its content was changed',
      () => openSet([mine.publicKey], { ...signSet(mine, set), set: { ...set, username: 'x' } }),
    ],
    ['its signature is nothing', () => openSet([mine.publicKey], { set, signature: '' })],
    ['there is no key', () => openSet([], signSet(mine, set))],
  ])('is refused when %s', (_, open) => expect(open()).toBeNull());
});
