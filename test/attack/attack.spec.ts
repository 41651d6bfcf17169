import { join } from 'node:path';
import { type CaseResult, readSuite, runSuite, textReport, titleOf, verdictOf } from '@gadwall/policy-tests';

const suite = readSuite(join(__dirname, 'cases'), null);
const cases = 'cases' in suite ? suite.cases : [];
const results = new Map<(typeof cases)[number], CaseResult>();

beforeAll(async () => {
  for (const result of await runSuite(cases, new Map())) results.set(result.case, result);
}, 600_000);

test('all files are well formed', () => {
  expect('faults' in suite ? suite.faults.map(({ message }) => message) : []).toEqual([]);
  expect(cases.length).toBeGreaterThan(500);
});

test.each(cases.map((one) => [titleOf(one), one] as const))('%s', (_, one) => {
  const result = results.get(one) as CaseResult;
  if (verdictOf(result) === 'failed') throw new Error(textReport([result]));
});
