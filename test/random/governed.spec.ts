import * as fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { type EffectiveSet } from '@gadwall/rbac';
import { type Outcome } from '../support/pipeline';
import { randomOf } from '../model/simulation';
import { Choices, numbers, Shrinking } from './governed/choices';
import { compareQuery, compareWrite, type Found, REFUSALS } from './governed/oracle';
import { queryOf } from './governed/queries';
import { makerOn, openPair, type Pair } from './governed/two-worlds';
import { writeOf } from './governed/writes';

const STATEMENTS = Number(process.env.GADWALL_SOAK_GOVERNED ?? 500);
/** Other databases, policies and statements at each run; a run is had again with the seed that it prints. */
const SEED = Number(process.env.GADWALL_GOVERNED_SEED ?? randomInt(1_000_000_000));
/** Databases with policies that are open at a time, and statements on them. */
const WORLDS = 10;
const ROUND = 250;
/** Statements among which what is left out has to show: ever the same, for it may show in few. */
const PLANTED = { seed: 1, statements: 1000 };
const PATIENCE_MS = 120_000 + 200 * STATEMENTS;

/** A policy set as the node is given it: the one that the oracle knows, or one in which something is left out. */
type Given = (set: EffectiveSet) => EffectiveSet;

/** Statements on a few databases; `count` is told what each came to. */
async function round(seed: number, statements: number, count: (what: string) => void, given?: Given): Promise<void> {
  const pairs: Pair[] = [];
  const random = randomOf(seed);
  const some = (): number[] => Array.from({ length: 1000 }, () => Math.floor(random() * 65_536));
  const worlds = fc.nat({ max: WORLDS - 1 });
  const kinds = fc.constantFrom('query', 'query', 'query', 'write');
  try {
    for (let i = 0; i < WORLDS; i++) pairs.push(await openPair(new Choices(some()), given ?? ((set) => set)));
    const shrinking = new Shrinking();
    const property = fc.asyncProperty(worlds, kinds, numbers, (nth, kind, made) =>
      shrinking.run(() => check(pairs[nth] as Pair, kind === 'write', made, count)),
    );
    // What is planted need not be told in few words.
    await fc.assert(property, { numRuns: statements, seed, endOnFailure: given !== undefined });
  } finally {
    for (const pair of pairs) await pair.close();
  }
}

async function check(pair: Pair, writes: boolean, made: number[], count: (what: string) => void): Promise<void> {
  const maker = makerOn(pair, made);
  const write = writes ? writeOf(maker, pair.tables, pair.policies) : null;
  const sql = write?.sql ?? queryOf(maker, 3).sql;
  const found = write ? await compareWrite(pair, write) : await compareQuery(pair, sql);
  if (found.kind === 'wrong') throw new Error(told(pair, sql, found));
  count(found.kind === 'equal' ? cameTo(found.outcome) : found.kind === 'refused' ? found.why : found.kind);
}

function cameTo({ code, rows, affected }: Outcome): string {
  if (code !== 'ok') return 'error';
  return rows.length > 0 || (affected ?? 0) > 0 ? 'rows' : 'nothing';
}

test(
  'what is answered under policies is what a superuser is answered on a copy that holds what they show',
  async () => {
    process.stdout.write(`${STATEMENTS} statements from GADWALL_GOVERNED_SEED=${SEED}\n`);
    const counts = new Map<string, number>();
    const of = (what: string): number => counts.get(what) ?? 0;
    const count = (what: string): void => void counts.set(what, of(what) + 1);
    for (let done = 0; done < STATEMENTS; done += ROUND) {
      await round(SEED + done, Math.min(ROUND, STATEMENTS - done), count);
    }
    process.stdout.write(`${[...counts].map(([what, n]) => `${n} ${what}`).join(', ')}\n`);
    // Answers that are all errors, or all empty, prove nothing, and neither do refusals.
    expect(of('rows')).toBeGreaterThan(STATEMENTS / 3);
    expect(of('error') + of('no plan')).toBeLessThan(STATEMENTS / 10);
    expect(REFUSALS.reduce((all, [why]) => all + of(why), 0)).toBeLessThan(STATEMENTS / 8);
  },
  PATIENCE_MS,
);

describe('what is left out is found:', () => {
  test.each<[string, Given]>([
    ['the masks', (set) => ({ ...set, columnPolicies: [] })],
    ['the filters', (set) => ({ ...set, rowPolicies: [] })],
    [
      'the filters of a role',
      (set) => ({ ...set, rowPolicies: set.rowPolicies.filter(({ role }) => role !== 'clerk') }),
    ],
    [
      'what is denied',
      (set) => ({ ...set, columnPolicies: set.columnPolicies.filter(({ action }) => action === 'mask') }),
    ],
  ])(
    '%s',
    async (_, given) => {
      await expect(round(PLANTED.seed, PLANTED.statements, () => undefined, given)).rejects.toThrow('Property failed');
    },
    PATIENCE_MS,
  );
});

function told({ policies: { set }, views }: Pair, sql: string, found: Extract<Found, { kind: 'wrong' }>): string {
  const rows = set.rowPolicies.map(({ table, role, predicateSql }) => `${role}: rows of ${table}: ${predicateSql}`);
  const columns = set.columnPolicies.map(
    (one) => `${one.role}: ${one.table}.${one.column}: ${one.transformSql ?? one.action}`,
  );
  return [found.how, `of ${sql}`, ...rows, ...columns, ...views.map((view) => view.sql)].join('\n');
}
