// Adds up what the steps of CI came to. A step that failed, a test that was not run and a suite that did not load count as
// failures: nothing is left out in silence. A test that only one of the passes can run must have passed in that one.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';

const [results, ...names] = process.argv.slice(2);
const steps = names.map((name) => ({ name, ...readStep(join(results, name)) }));
const passedSomewhere = new Set(steps.flatMap(({ tests }) => tests.filter(isPassed).map(({ id }) => id)));

console.log('\n== tally');
const tallies = steps.map(tallyOf);
const sum = (key) => tallies.reduce((total, tally) => total + tally[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;

function readStep(folder) {
  if (!existsSync(join(folder, 'step.json'))) return { tests: [], decisions: 0, problems: ['did not run'], seconds: 0 };
  const { outcome, seconds, cwd } = JSON.parse(readFileSync(join(folder, 'step.json'), 'utf8'));
  const step = { tests: [], decisions: 0, problems: [], outcome, seconds };
  if (folder.endsWith('-test')) return { ...step, ...readTests(join(folder, 'jest.json'), cwd) };
  if (folder.endsWith('-demo')) return { ...step, ...readDemo(readFileSync(join(folder, 'output.log'), 'utf8')) };
  return step;
}

function readDemo(output) {
  const found = /(\d+) of (\d+) decisions as expected/.exec(output);
  if (!found) return { problems: ['the demo came to no summary'] };
  const [right, all] = found.slice(1).map(Number);
  return { decisions: right, problems: Array(all - right).fill('a decision was not the expected one') };
}

function readTests(file, cwd) {
  if (!existsSync(file)) return { problems: ['jest came to no result'] };
  const root = realpathSync(cwd);
  const tests = JSON.parse(readFileSync(file, 'utf8')).testResults.flatMap(({ name, assertionResults }) => {
    const suite = relative(root, name);
    return assertionResults.map(({ status, fullName }) => ({ suite, status, id: `${suite}: ${fullName}` }));
  });
  const loaded = new Set(tests.map(({ suite }) => suite));
  return { tests, problems: suitesIn(root).flatMap((suite) => (loaded.has(suite) ? [] : [`${suite}: did not load`])) };
}

function suitesIn(root) {
  return ['apps', 'libs', 'test', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith('.spec.ts'))
      .map((path) => join(folder, path)),
  );
}

function tallyOf({ name, tests, decisions, problems, outcome, seconds }) {
  const faults = [...problems, ...tests.filter(isFault).map(({ status, id }) => `${status}: ${id}`)];
  if (outcome !== 0 && faults.length === 0) faults.push(`ended with ${outcome}`);
  const passed = decisions + tests.filter(isPassed).length;
  console.log(`${name}: ${passed} passed, ${faults.length} failed, ${seconds} s`);
  for (const fault of faults) console.log(`  ${fault}`);
  for (const { id } of tests.filter(isElsewhere)) console.log(`  not in this pass: ${id}`);
  return { passed, failed: faults.length };
}

function isPassed({ status }) {
  return status === 'passed';
}

/** Not run here, and rightly so: by an ordinary user what needs root, and what another pass has run. */
function isElsewhere({ status, id }) {
  if (status === 'passed' || status === 'failed') return false;
  return passedSomewhere.has(id) || (process.getuid?.() !== 0 && id.includes(' as root '));
}

function isFault(test) {
  return !isPassed(test) && !isElsewhere(test);
}
