import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import {
  type CaseResult,
  type PolicyCase,
  readSuite,
  readWaits,
  runSuite,
  textReport,
  titleOf,
  verdictOf,
} from '@gadwall/policy-tests';
import { randomOf } from '../model/simulation';
import { disguisedCase, type Sort, sortOf } from './disguise/disguised-cases';
import { kindOf } from './disguise/texts';

const DISGUISES = Number(process.env.GADWALL_SOAK_DISGUISES ?? 10);
/** Others at each run; a run is had again with the seed that it prints. */
const SEED = Number(process.env.GADWALL_DISGUISE_SEED ?? randomInt(1_000_000_000));
const PATIENCE_MS = 600_000 + 120_000 * DISGUISES;

const FOLDER = join(__dirname, '../conformance');
const suite = readSuite(join(FOLDER, 'cases'), null);
const waits = readWaits(join(FOLDER, 'waits.yaml'));
const cases = ('cases' in suite ? suite.cases : []).filter(
  ({ id, waits: own }) => own === null && !waits.has(id ?? ''),
);
const only = (sort: Sort) => cases.filter((one) => sortOf(one) === sort);

function reportOf(results: readonly CaseResult[]): string {
  return results.some((result) => verdictOf(result) === 'failed') ? textReport(results) : '';
}

beforeAll(() => process.stdout.write(`${DISGUISES} disguises of each case from GADWALL_DISGUISE_SEED=${SEED}\n`));

/** Each case has a seed of its own: which others are run makes no difference to it. */
const disguiseOf = (one: PolicyCase, sort: Sort) =>
  disguisedCase(one, sort, DISGUISES, randomOf(SEED + cases.indexOf(one)));

test.each([
  ['what is refused is refused in every disguise, and no secret is in the answer', 'refused', 250],
  ['what is allowed is allowed in every harmless disguise, with the same rows', 'allowed', 20],
  ['the statements of a session, each in a disguise of its own, come to what they come to without', 'steps', 40],
] as const)(
  '%s',
  async (_, sort, atLeast) => {
    const disguised = only(sort).map((one) => disguiseOf(one, sort));
    process.stdout.write(`${disguised.length} cases of sort ${sort}\n`);
    expect(disguised.length).toBeGreaterThan(atLeast);
    expect(reportOf(await runSuite(disguised, new Map()))).toBe('');
  },
  PATIENCE_MS,
);

const queries = only('allowed').filter(({ runs }) => runs.every(([step]) => kindOf(step?.sql ?? '') === 'query'));
type Statement = Extract<PolicyCase['runs'][number][number], { kind: 'statement' }>;
const changed = (one: PolicyCase, change: (step: Statement) => Partial<Statement>): PolicyCase => ({
  ...one,
  runs: one.runs.map((steps) => steps.map((step) => (step.kind === 'do' ? step : { ...step, ...change(step) }))),
});

describe('what is planted is found in each case:', () => {
  test.each<[string, Sort, (step: Statement) => Partial<Statement>]>([
    ['a statement that gets through', 'refused', ({ expect }) => ({ expect: { ...expect, denied: [] } })],
    ['an answer without its rows', 'allowed', ({ sql }) => ({ sql: `SELECT * FROM (${sql}) AS planted LIMIT 0` })],
  ])(
    '%s',
    async (_, sort, plant) => {
      const withRows = queries.filter(({ runs }) =>
        runs.every(([step]) => step?.kind === 'statement' && (step.expect.rows?.length ?? 0) > 0),
      );
      expect(withRows.length).toBeGreaterThan(5);
      const planted = withRows.map((one) => disguisedCase(changed(one, plant), sort, DISGUISES, randomOf(SEED)));
      const results = await runSuite(planted, new Map());
      const missed = results.filter((result) => verdictOf(result) !== 'failed');
      expect(missed.map((result) => titleOf(result.case))).toEqual([]);
    },
    PATIENCE_MS,
  );
});
