import { beginJoin } from '@gadwall/link';
import { DomainError, newSigningKey } from '@gadwall/rbac';
import { Joining } from './joining';

let joining: Joining;
beforeEach(() => (joining = new Joining()));

const request = (token: string) =>
  beginJoin(token, { nodeId: 'n1', publicKey: newSigningKey().publicKey, certificate: 'AB:CD' }).request;
const reasonOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    return error instanceof DomainError ? error.reason : String(error);
  }
};

test('a token tells whose process it is', () => {
  joining.issue('first');
  const token = joining.issue('second');
  expect(joining.open(request(token))).toMatchObject({ process: 'second', nodeId: 'n1', certificate: 'AB:CD' });
});

test('a token is good once, for another registration neither', () => {
  const token = joining.issue('a');
  const once = request(token);
  joining.open(once);
  expect(reasonOf(() => joining.open(once))).toBe('join_refused');
  expect(reasonOf(() => joining.open(request(token)))).toBe('join_refused');
});

test('one who does not know it uses nothing up', () => {
  const token = joining.issue('a');
  for (const bad of [undefined, {}, { body: '{}', proof: '' }, request('guess')]) {
    expect(reasonOf(() => joining.open(bad))).toBe('join_refused');
  }
  expect(joining.open(request(token)).process).toBe('a');
});

test('the next start makes the last token worthless, and so does the end', () => {
  const [first, second] = [joining.issue('a'), joining.issue('a')];
  expect(first).not.toBe(second);
  expect(reasonOf(() => joining.open(request(first)))).toBe('join_refused');
  joining.withdraw('a');
  expect(reasonOf(() => joining.open(request(second)))).toBe('join_refused');
});
