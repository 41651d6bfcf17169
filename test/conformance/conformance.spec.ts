import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type CaseResult, readSuite, readWaits, runSuite, textReport, titleOf, verdictOf } from '@gadwall/policy-tests';

/** The cases as they are handed out, where they are beside this repository, and the copy that is kept in it. */
const HANDED_OUT = join(__dirname, '../../../shared/cases/conformance');
const KEPT = join(__dirname, 'cases');
const folder = existsSync(HANDED_OUT) ? HANDED_OUT : KEPT;

const suite = readSuite(folder, null);
const cases = 'cases' in suite ? suite.cases : [];
const waits = readWaits(join(__dirname, 'waits.yaml'));
const results = new Map<(typeof cases)[number], CaseResult>();

beforeAll(async () => {
  for (const result of await runSuite(cases, waits)) results.set(result.case, result);
}, 600_000);

test('all files are well formed', () => {
  expect('faults' in suite ? suite.faults.map(({ message }) => message) : []).toEqual([]);
  expect(cases.length).toBeGreaterThan(500);
});

test.each(cases.map((one) => [titleOf(one), one] as const))('%s', (_, one) => {
  const result = results.get(one) as CaseResult;
  if (verdictOf(result) === 'failed') throw new Error(textReport([result]));
});

test('every id that waits is that of a case', () => {
  const ids = new Set(cases.map(({ id }) => id));
  expect([...waits.keys()].filter((id) => !ids.has(id))).toEqual([]);
});

(folder === KEPT ? test.skip : test)('the copy that is kept here is the same as what is handed out', () => {
  const files = yamlUnder(HANDED_OUT);
  expect(yamlUnder(KEPT)).toEqual(files);
  const differ = files.filter((file) => !readFileSync(join(KEPT, file)).equals(readFileSync(join(HANDED_OUT, file))));
  expect(differ).toEqual([]);
});

function yamlUnder(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
