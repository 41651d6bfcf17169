import { join } from 'node:path';
import { type CaseResult, readSuite, runSuite, textReport, titleOf, verdictOf } from '@gadwall/policy-tests';

/** `cases`: grants, files, bombs and sessions. `policies`: masks and row filters. */
const suites = ['cases', 'policies'].map((folder) => readSuite(join(__dirname, folder), null));
const cases = suites.flatMap((suite) => ('cases' in suite ? suite.cases : []));
const results = new Map<(typeof cases)[number], CaseResult>();

beforeAll(async () => {
  for (const result of await runSuite(cases, new Map())) results.set(result.case, result);
}, 600_000);

test('all files are well formed', () => {
  expect(suites.flatMap((suite) => ('faults' in suite ? suite.faults.map(({ message }) => message) : []))).toEqual([]);
  expect(cases.length).toBeGreaterThan(1000);
});

test.each(cases.map((one) => [titleOf(one), one] as const))('%s', (_, one) => {
  const result = results.get(one) as CaseResult;
  if (verdictOf(result) === 'failed') throw new Error(textReport([result]));
});
