import { JsonReader, NodeConnection } from '@gadwall/engine';
import { EffectiveSet } from '@gadwall/rbac';
import { startPipeline, TestPipeline, userWith } from '../support/pipeline';
import { LISTINGS } from './mutations/listings';
import { type Caught, MASKS, type Mutation, PREDICATE, SEED } from './mutations/pieces';
import { READS } from './mutations/reads';
import { WRITES } from './mutations/writes';

/**
 * The rewriter is not trusted (DESIGN invariant 4): what it makes of a statement is broken in one place, and the node has to
 * refuse the plan that the engine binds for that. Each statement runs unbroken as well.
 */
const of = { role: 'reader', catalog: 'lake', schema: 'raw', table: 'orders' };
const userNamed = (name: string): EffectiveSet => ({
  ...userWith(name, 'ALL lake.raw.*'),
  columnPolicies: Object.entries(MASKS).map(([column, transformSql]) => ({
    ...of,
    column,
    action: 'mask' as const,
    transformSql,
  })),
  rowPolicies: [{ ...of, predicateSql: PREDICATE }],
});

let lake: TestPipeline;
let own: NodeConnection;
beforeAll(async () => {
  lake = await startPipeline(SEED);
  own = await lake.engine.connect();
});
afterAll(async () => {
  own.close();
  await lake.close();
});
afterEach(() => jest.restoreAllMocks());

const ALL = [...READS, ...WRITES, ...LISTINGS].map((one, i) => ({ ...one, nth: i }));

test('there are ways enough', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(60);
  expect(new Set(ALL.map(({ how }) => how)).size).toBe(ALL.length);
});

/** What the governor makes of a statement is exchanged for what is planted, on its way to the proof. */
function plant({ from, to }: Mutation): { proofs: unknown[]; planted: () => number } {
  const proofs: unknown[] = [];
  let planted = 0;
  const plan = jest.spyOn(NodeConnection.prototype, 'plan');
  const read = Object.getOwnPropertyDescriptor(JsonReader.prototype, 'read')?.value as Read;
  jest.spyOn(JsonReader.prototype, 'read').mockImplementation(async function (this: JsonReader, kind, json, ...given) {
    if (kind !== 'governed') return read.call(this, kind, json, ...given) as never;
    const [{ nonce }] = given as unknown as [{ nonce: string }];
    const text = plan.mock.lastCall?.[0] ?? '';
    const [piece, other] = [from ?? text, to].map((one) => one.replaceAll('<n>', nonce)) as [string, string];
    const broken = text.replace(piece, () => other);
    if (broken !== text) planted++;
    const result = await read.call(this, kind, await own.plan(broken), ...given);
    proofs.push(result);
    return result as never;
  });
  return { proofs, planted: () => planted };
}

type Read = (this: JsonReader, kind: string, json: string | null, ...given: unknown[]) => Promise<unknown>;

const REFUSALS: Record<Exclude<Caught, 'violation'>, string> = {
  leaks: 'an error of it could tell of rows that are hidden',
  mark: 'it does not bind with its policies in it',
  accesses: 'what runs would not be what was judged',
};

test.each(ALL)('$how, in $sql', async (mutation) => {
  const { nth, sql, by = 'violation' } = mutation;
  const { proofs, planted } = plant(mutation);
  const seen = await lake.run(userNamed(`user${nth}`), sql);
  const last = proofs[proofs.length - 1] as { verified?: { violation: string | null }; error?: { message: string } };
  expect({ planted: planted() > 0, code: seen.code, last }).toMatchObject({ planted: true, code: 'access_denied' });
  if (by === 'violation') expect(seen.message).toContain(last.verified?.violation ?? 'a violation');
  else expect(seen.message).toContain(REFUSALS[by]);
  if (by === 'mark') expect(last.error?.message).toBe('a mark in a name');

  jest.restoreAllMocks();
  const session = await lake.session(userNamed(`user${nth}`));
  await lake.run(userNamed(`user${nth}`), 'BEGIN', { session });
  expect(await lake.run(userNamed(`user${nth}`), sql, { session })).toMatchObject({ code: 'ok' });
  await lake.run(userNamed(`user${nth}`), 'ROLLBACK', { session });
});
