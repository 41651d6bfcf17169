import * as fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { JsonReader } from '@gadwall/engine';
import { type Outcome, ROOT, type TestPipeline } from '../support/pipeline';
import { randomOf } from '../model/simulation';
import { Choices, numbers, Shrinking } from './governed/choices';
import { hostileOf } from './governed/hostile';
import { makerOfTwins, openTwins, type Twins } from './governed/twins';
import { rowsOf, within } from './governed/two-worlds';

const STATEMENTS = Number(process.env.GADWALL_SOAK_TWINS ?? 200);
/** Other databases, policies and statements at each run; a run is had again with the seed that it prints. */
const SEED = Number(process.env.GADWALL_TWINS_SEED ?? randomInt(1_000_000_000));
/** Pairs of databases that are open at a time, and statements on them. */
const WORLDS = 10;
const ROUND = 250;
/** Statements among which what is planted has to show: ever the same, for it shows in few. */
const PLANTED = { seed: 1, statements: 2000 };
const PATIENCE_MS = 120_000 + 200 * STATEMENTS;

/** What a statement comes to on one side. */
type Run = (twins: Twins, side: TestPipeline, sql: string) => Promise<Outcome>;
const run: Run = ({ policies }, side, sql) => within(side, policies.set, sql, (_, outcome) => Promise.resolve(outcome));

async function round(seed: number, statements: number, count: (what: string) => void, planted?: Run): Promise<void> {
  const worlds: Twins[] = [];
  const random = randomOf(seed);
  const some = (): number[] => Array.from({ length: 2000 }, () => Math.floor(random() * 65_536));
  try {
    for (let i = 0; i < WORLDS; i++) worlds.push(await openTwins(new Choices(some())));
    const shrinking = new Shrinking();
    const property = fc.asyncProperty(fc.nat({ max: WORLDS - 1 }), numbers, (nth, made) =>
      shrinking.run(() => check(worlds[nth] as Twins, made, planted ?? run, count)),
    );
    // What is planted need not be told in few words.
    await fc.assert(property, { numRuns: statements, seed, endOnFailure: planted !== undefined });
  } finally {
    for (const twins of worlds) await twins.close();
  }
}

async function check(twins: Twins, made: number[], answer: Run, count: (what: string) => void): Promise<void> {
  const sql = hostileOf(makerOfTwins(twins, made), twins.tables);
  const [side, other] = twins.sides;
  const outcome = await answer(twins, side, sql);
  count(outcome.code);
  const [a, b] = [seen(outcome), seen(await answer(twins, other, sql))];
  if (a !== b) throw new Error([`one side: ${a}`, `the other: ${b}`, `of ${sql}`, ...told(twins)].join('\n'));
}

test(
  'nothing that is hidden makes a difference to an answer, an error, a count or a plan',
  async () => {
    process.stdout.write(`${STATEMENTS} statements from GADWALL_TWINS_SEED=${SEED}\n`);
    const counts = new Map<string, number>();
    const of = (what: string): number => counts.get(what) ?? 0;
    const count = (what: string): void => void counts.set(what, of(what) + 1);
    for (let done = 0; done < STATEMENTS; done += ROUND) {
      await round(SEED + done, Math.min(ROUND, STATEMENTS - done), count);
    }
    process.stdout.write(`${[...counts].map(([what, n]) => `${n} ${what}`).join(', ')}\n`);
    expect(of('ok')).toBeGreaterThan(STATEMENTS / 3);
    expect(of('sql_error')).toBeGreaterThan(STATEMENTS / 50);
    expect(of('access_denied')).toBeLessThan(STATEMENTS / 5);
  },
  PATIENCE_MS,
);

describe('what makes a difference is found:', () => {
  afterEach(() => jest.restoreAllMocks());

  test.each<[string, () => Run]>([
    [
      'policies that are not in force',
      () => (_, side, sql) => within(side, ROOT, sql, (__, outcome) => Promise.resolve(outcome)),
    ],
    ['conditions that are asked of hidden rows', () => withoutBarriers()],
  ])(
    '%s',
    async (_, planted) => {
      await expect(round(PLANTED.seed, PLANTED.statements, () => undefined, planted())).rejects.toThrow(
        'Property failed',
      );
    },
    PATIENCE_MS,
  );
});

/** The node takes every statement for one that tells nothing of hidden rows. */
function withoutBarriers(): Run {
  const read = Object.getOwnPropertyDescriptor(JsonReader.prototype, 'read')?.value as Read;
  jest.spyOn(JsonReader.prototype, 'read').mockImplementation(async function (this: JsonReader, ...given) {
    const result = (await read.call(this, ...given)) as { verified?: { leaks: boolean } };
    if (result.verified) result.verified.leaks = false;
    return result as never;
  });
  return run;
}

type Read = (this: JsonReader, ...given: unknown[]) => Promise<unknown>;

/** All that a client gets. In what order rows come that nothing orders may depend on the plan, which no one promises. */
function seen(outcome: Outcome): string {
  const { code, message, columns, types, affected } = outcome;
  return JSON.stringify({ code, message, columns, types, affected, rows: rowsOf(outcome) });
}

function told({ policies: { set }, seeds, views }: Twins): string[] {
  const rows = set.rowPolicies.map(({ table, role, predicateSql }) => `${role}: rows of ${table}: ${predicateSql}`);
  const columns = set.columnPolicies.map(
    (one) => `${one.role}: ${one.table}.${one.column}: ${one.transformSql ?? one.action}`,
  );
  return [...rows, ...columns, ...views, ...seeds];
}
