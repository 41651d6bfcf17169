import * as fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { BREAKS } from './verdict/breaks';
import { compare, type Judge, openGate, userOf } from './verdict/gate';
import { grants, grantsFor } from './verdict/grants';
import { generated } from './statements/render-statement';
import { statement } from './statements/statement';

const STATEMENTS = Number(process.env.GADWALL_SOAK_STATEMENTS ?? 5000);
/** Other statements at each run; a run is had again with the seed that it prints. */
const SEED = Number(process.env.GADWALL_VERDICT_SEED ?? randomInt(1_000_000_000));
const PATIENCE_MS = 120_000 + 60 * STATEMENTS;
/** Statements in which a planted break has to be found: most show in a hundred, each in a thousand. */
const TO_FIND_A_BREAK = 10_000;

let gate: Awaited<ReturnType<typeof openGate>>;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

const property = (judge: Judge, count: (what: string) => void) =>
  fc.asyncProperty(statement, grants, async (made, given) => {
    const one = generated(made);
    const set = userOf(grantsFor(given, one));
    const found = await compare(judge, one, set);
    count(found.kind === 'as expected' ? found.outcome : found.kind);
    if (found.kind !== 'wrong') return;
    const words = set.permissions.map(
      ({ effect, verb, catalog, schema, table }) => `${effect} ${verb} ${catalog}.${schema}.${table}`,
    );
    throw new Error(`${found.how}\nof ${one.sql}\nwith ${words.join(', ') || 'no grants'}`);
  });

test(
  'the verdict is that of an oracle which knows what each statement was made of',
  async () => {
    const counts = new Map<string, number>();
    const of = (what: string) => counts.get(what) ?? 0;
    const checked = property(gate.judge, (what) => counts.set(what, of(what) + 1));
    process.stdout.write(`${STATEMENTS} statements from GADWALL_VERDICT_SEED=${SEED}\n`);
    await fc.assert(checked, { numRuns: STATEMENTS, seed: SEED });
    process.stdout.write(`${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}\n`);
    // Statements that are all refused, or none at all, prove nothing.
    expect(of('allowed')).toBeGreaterThan(STATEMENTS / 5);
    expect(of('refused')).toBeGreaterThan(STATEMENTS / 5);
    expect(of('error')).toBeGreaterThan(0);
    expect(of('no statement')).toBeLessThan(STATEMENTS / 10);
    expect(of('undescribed')).toBeLessThan(STATEMENTS / 100);
  },
  PATIENCE_MS,
);

describe('a gate that is broken is caught:', () => {
  test.each(Object.keys(BREAKS))(
    '%s',
    async (name) => {
      const broken = BREAKS[name] as (judge: Judge) => Judge;
      const checked = property(broken(gate.judge), () => undefined);
      const found = await fc.check(checked, { numRuns: TO_FIND_A_BREAK, seed: SEED, endOnFailure: true });
      process.stdout.write(`${name}: ${found.failed ? `statement ${found.numRuns}` : 'not found'}\n`);
      expect(found.failed).toBe(true);
    },
    PATIENCE_MS,
  );
});
