import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cliHome, type CliHome } from '../../../../test/support/cli';

let home: CliHome;
beforeEach(() => (home = cliHome()));
afterEach(() => home.remove());

/** `gadwall test …` in the home. */
async function gadwallTest(...args: string[]): Promise<{ code: unknown; output: string }> {
  const running = home.run(['test', ...args]);
  return { code: await running.exit, output: running.output() };
}

/** Changes the test file of the example that `--init` wrote. */
function change(was: string, is: string): void {
  const file = join(home.path, 'policy-tests/shop.yaml');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(was);
  writeFileSync(file, text.replace(was, is));
}

test('--init writes an example that holds, once', async () => {
  expect(await gadwallTest('--init')).toEqual({
    code: 0,
    output: 'policy-tests holds a first example; run it with: gadwall test policy-tests\n',
  });
  expect(await gadwallTest('policy-tests')).toEqual({ code: 0, output: '6 passed, 0 failed\n' });
  expect(await gadwallTest('--init')).toEqual({
    code: 2,
    output: 'gadwall: policy-tests is there already: name a folder that is not\n',
  });
});

test('a case that fails is told and ends with 1; a file that is wrong with 2 and its line', async () => {
  await gadwallTest('--init');
  change('affected: 1', 'affected: 2');
  const failed = await gadwallTest('policy-tests', '--junit', 'results.xml');
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(
    /^FAIL SHOP-4 a clerk enters orders \(policy-tests\/shop\.yaml:\d+\): expected 2 rows changed; seen 1 row changed\n/,
  );
  expect(failed.output).toMatch(/\n5 passed, 1 failed\n$/);
  expect(readFileSync(join(home.path, 'results.xml'), 'utf8')).toContain('tests="6" failures="1" skipped="0"');

  writeFileSync(join(home.path, 'waits.yml'), 'SHOP-4: they are counted twice\n');
  const waiting = await gadwallTest('policy-tests', '--waits', 'waits.yml');
  expect(waiting).toEqual({ code: 0, output: '5 passed, 0 failed, 1 waiting\n' });

  const fixture = join(home.path, 'policy-tests/fixtures/shop.yaml');
  const valid = readFileSync(fixture, 'utf8');
  writeFileSync(
    fixture,
    valid.replace(
      '- name: analyst',
      "- name: analyst\n      rowPolicies: [{ catalog: shop, schema: main, table: orders, predicateSql: 'now() > day' }]",
    ),
  );
  const invalid = await gadwallTest('policy-tests');
  expect(invalid.code).toBe(2);
  expect(invalid.output).toMatch(/^gadwall: .*shop\.yaml:\d+:\d+: a policy does not call now\(\)/);
  writeFileSync(fixture, valid);

  change('expect: { affected', 'expekt: { affected');
  const wrong = await gadwallTest('policy-tests');
  expect(wrong.code).toBe(2);
  expect(wrong.output).toMatch(
    /^gadwall: policy-tests\/shop\.yaml:\d+:5: unknown key "expekt" in a case \(did you mean "expect"\?\)/,
  );
});

test('--filter and --tag choose cases; choosing none is a mistake', async () => {
  await gadwallTest('--init');
  change('    as: carl', '    tags: [grants]\n    as: carl');
  expect((await gadwallTest('policy-tests', '--filter', 'clerk')).output).toBe('1 passed, 0 failed\n');
  expect((await gadwallTest('--tag', 'rows', '--tag', 'grants', 'policy-tests')).output).toBe('1 passed, 0 failed\n');
  expect(await gadwallTest('policy-tests', '--filter', 'nosuch')).toEqual({
    code: 2,
    output: 'gadwall: there is no such case among the 6 under policy-tests\n',
  });
  const unknown = await gadwallTest('policy-tests', '--tag', 'grant');
  expect(unknown.code).toBe(2);
  expect(unknown.output).toContain('there is no tag grant; it is one of: grants, columns');
});

test('without a folder, or with one that is not there, it says what would be right', async () => {
  expect(await gadwallTest()).toEqual({
    code: 2,
    output: 'gadwall: name a folder of policy tests, or write a first one with --init\n',
  });
  expect((await gadwallTest('nosuch')).output).toContain('there is no such file or folder');
});

test('--watch runs again when a file has changed, and outlives a file that is wrong', async () => {
  await gadwallTest('--init');
  const watching = home.run(['test', 'policy-tests', '--watch']);
  await watching.printed('6 passed, 0 failed\nwaiting for a change in policy-tests\n');
  change('cases:', 'kases:');
  await watching.printed('unknown key "kases"');
  change('kases:', 'cases:');
  change('affected: 1', 'affected: 2');
  await watching.printed('5 passed, 1 failed\nwaiting for a change');
  utimesSync(join(home.path, 'policy-tests/shop.yaml'), new Date(), new Date());
  expect(watching.output().match(/waiting for a change/g)?.length).toBeGreaterThanOrEqual(3);
});

test('a run that is interrupted leaves nothing behind', async () => {
  await gadwallTest('--init');
  const files = (): string[] => readdirSync(home.path).filter((name) => name.startsWith('gadwall-test-'));
  const running = home.run(['test', 'policy-tests'], { TMPDIR: home.path });
  for (const end = Date.now() + 10_000; files().length === 0 && Date.now() < end;) await sleep(10);
  expect(files()).toHaveLength(1);
  process.kill(running.pid, 'SIGINT');
  expect(await running.exit).toBe(2);
  expect(files()).toEqual([]);
});
