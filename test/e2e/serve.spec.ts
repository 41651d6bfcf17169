import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliHome, type CliHome, type RunningCli } from '../support/cli';

let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

const serve = (env: NodeJS.ProcessEnv = {}): RunningCli => home.run(['serve'], { GADWALL_PORT: '0', ...env });

async function urlOf(running: RunningCli): Promise<string> {
  await running.printed('serving at ');
  return /serving at (http:\/\/\S+)/.exec(running.output())?.[1] ?? '';
}

test('gadwall serve runs the manager, prints the first password once, and stops in order', async () => {
  const first = serve();
  const url = await urlOf(first);
  await first.printed('superuser admin, password ');
  const password = readFileSync(join(home.path, '.gadwall/admin-password'), 'utf8').trim();
  expect(first.output()).toContain(`superuser admin, password ${password}`);
  const login = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  expect(login.status).toBe(200);
  // What Nest says of its modules and routes is not for whoever reads this.
  expect(first.output()).not.toMatch(/InstanceLoader|RouterExplorer/);
  process.kill(first.pid, 'SIGTERM');
  expect(await first.exit).toBe(0);
  expect(home.left()).toEqual([]);

  const second = serve();
  await urlOf(second);
  process.kill(second.pid, 'SIGINT');
  expect(await second.exit).toBe(0);
  expect(second.output()).not.toContain('password');
}, 120_000);

test('a setting that cannot be used ends it with the variable’s name', async () => {
  const running = serve({ GADWALL_PORT: 'http' });
  expect(await running.exit).toBe(1);
  expect(running.output()).toBe('gadwall did not start: GADWALL_PORT must be a whole number from 0 to 65535\n');
});

test('when it is killed, the manager and all that it started end too', async () => {
  const running = serve();
  await urlOf(running);
  process.kill(running.pid, 'SIGKILL');
  await home.empty();
}, 60_000);
