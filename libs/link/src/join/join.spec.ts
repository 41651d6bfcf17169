import { createHash, randomBytes } from 'node:crypto';
import { beginJoin, type JoinAnswer, type JoinRequest, type NodeOffer, openJoin } from '..';
import { newExchangeKey, proofOf } from './exchange';

const token = randomBytes(32).toString('base64url');
const offer: NodeOffer = { nodeId: 'n1', publicKey: 'key of the node', certificate: 'AB:CD' };
const assignment = { catalogs: [], initSql: "CREATE SECRET s (TYPE s3, SECRET 'of the operator')" };

const joined = (request: JoinRequest, with_ = token) => {
  const join = openJoin(with_, request);
  if (!join) throw new Error('refused');
  return join;
};
/** A request with something in it changed, and its proof as it was. */
const changed = ({ body, proof }: JoinRequest, change: Record<string, unknown>): JoinRequest => ({
  body: JSON.stringify({ ...(JSON.parse(body) as object), ...change }),
  proof,
});

test('both ends come to the same key, and the node learns what it is told', () => {
  const node = beginJoin(token, offer);
  const manager = joined(node.request);
  expect(manager.offer).toEqual(offer);
  const opened = node.open(manager.answer(assignment));
  expect(opened?.content).toEqual(assignment);
  expect(opened?.handleKey).toEqual(manager.handleKey);
  expect(opened?.handleKey).toHaveLength(32);
});

test('the key is another one each time', () => {
  const keys = [1, 2].map(() => joined(beginJoin(token, offer).request).handleKey.toString('hex'));
  expect(new Set(keys).size).toBe(2);
  const { request } = beginJoin(token, offer);
  expect(joined(request).handleKey).not.toEqual(joined(request).handleKey);
});

test('neither the token, nor the key, nor what the node is told can be read on the way', () => {
  const node = beginJoin(token, offer);
  const manager = joined(node.request);
  const wire = JSON.stringify([node.request, manager.answer(assignment)]);
  const secrets = [Buffer.from(token), manager.handleKey, createHash('sha256').update(token).digest()];
  for (const secret of secrets) {
    for (const form of ['base64url', 'base64', 'hex', 'latin1'] as const)
      expect(wire).not.toContain(secret.toString(form));
  }
  expect(wire).not.toContain('SECRET');
});

describe('the manager refuses', () => {
  const { request } = beginJoin(token, offer);
  const stranger = newExchangeKey().publicKey;
  test.each<[string, unknown]>([
    ['one who has another token', beginJoin(randomBytes(32).toString('base64url'), offer).request],
    ['one without a token', beginJoin('', offer).request],
    ['a proof of nothing', { ...request, proof: '' }],
    ['the proof of another request', { ...request, proof: beginJoin(token, offer).request.proof }],
    ['an exchange key that was put in on the way', changed(request, { exchangeKey: stranger })],
    ['a signing key that was put in on the way', changed(request, { publicKey: 'of a stranger' })],
    ['a certificate that was put in on the way', changed(request, { certificate: 'EF:01' })],
    ['a certificate that was taken out on the way', changed(request, { certificate: null })],
    ['another name', changed(request, { nodeId: 'n2' })],
    ['an answer of its own, sent back', { body: request.body, proof: joined(request).answer(assignment).sealed }],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'join'],
    ['no texts', { body: 1, proof: [] }],
  ])('%s', (_, given) => {
    expect(openJoin(token, given)).toBeNull();
  });
});

describe('the node refuses', () => {
  const node = beginJoin(token, offer);
  const answer: JoinAnswer = joined(node.request).answer(assignment);
  const flipped = (at: number) => {
    const bytes = Buffer.from(answer.sealed, 'base64url');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes.toString('base64url');
  };
  /** One who sits on the manager's port: has all but the token. */
  const impostor = () => {
    const guess = randomBytes(32).toString('base64url');
    const { body } = node.request;
    return joined({ body, proof: proofOf(guess, body) }, guess).answer({
      ...assignment,
      managerKeys: ['of a stranger'],
    });
  };
  test.each<[string, () => unknown]>([
    ['one who does not know the token', impostor],
    ['the answer to another request', () => joined(beginJoin(token, offer).request).answer(assignment)],
    ['an exchange key that was put in on the way', () => ({ ...answer, exchangeKey: newExchangeKey().publicKey })],
    ['the exchange key, written otherwise', () => ({ ...answer, exchangeKey: writtenOtherwise(answer.exchangeKey) })],
    ['a key of low order', () => ({ ...answer, exchangeKey: lowOrder() })],
    ['a changed IV', () => ({ ...answer, sealed: flipped(0) })],
    ['a changed tag', () => ({ ...answer, sealed: flipped(12) })],
    ['changed content', () => ({ ...answer, sealed: flipped(40) })],
    ['a shortened answer', () => ({ ...answer, sealed: answer.sealed.slice(0, 20) })],
    ['a key that is none', () => ({ ...answer, exchangeKey: 'x' })],
    ['nothing', () => undefined],
    ['null', () => null],
    ['an assignment as it used to be', () => assignment],
  ])('%s', (_, given) => {
    expect(node.open(given())).toBeNull();
  });

  test('and takes what the manager said', () => {
    expect(node.open(answer)?.content).toEqual(assignment);
  });
});

/** X25519's point zero, with which every secret is the same. */
function lowOrder(): string {
  const der = Buffer.from(newExchangeKey().publicKey, 'base64url');
  return Buffer.concat([der.subarray(0, der.length - 32), Buffer.alloc(32)]).toString('base64url');
}

/** X25519 takes no account of the highest bit: with or without it, the secret is the same (RFC 7748 5). */
function writtenOtherwise(publicKey: string): string {
  const der = Buffer.from(publicKey, 'base64url');
  der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 0x80;
  return der.toString('base64url');
}
