import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { cliHome, type CliHome, type RunningCli } from '../support/cli';

const UP = 'Ctrl-C stops everything';

let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

/** Settings that are meant for another manager are none for the demo. */
const FOR_ANOTHER = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', GADWALL_START_NODES: 'false' };

function demo(args: string[] = [], port = 0): RunningCli {
  return home.run(['demo', ...args], { ...FOR_ANOTHER, GADWALL_PORT: String(port) });
}

test('gadwall demo --exit shows every decision as expected, and leaves nothing behind', async () => {
  const running = demo(['--exit']);
  expect(await running.exit).toBe(0);
  expect(running.output()).toMatch(/16 of 16 decisions as expected.*under policies is what they say/);
  expect(running.output()).toMatch(
    /superuser +1,500 rows.*\n +alice +\d{3} rows, .*-\*\*\*-\*\*\*\*\n +1,\d+ rows are hidden/,
  );
  expect(running.output()).not.toMatch(/✗|\u001b/);
  expect(home.left()).toEqual([]);
}, 120_000);

test('it serves until it is told to stop, and starts again on what an earlier one left', async () => {
  const first = demo();
  await first.printed(UP);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(first.output())?.[0];
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  // Manager, two nodes, watchdog, PostgreSQL and the demo itself: that none is left later says something.
  if (process.platform === 'linux') expect(home.left().length).toBeGreaterThanOrEqual(6);

  const second = demo();
  expect(await second.exit).toBe(2);
  expect(second.output()).toMatch(/a demo is running in .*stop it first/);

  process.kill(first.pid, 'SIGINT');
  expect(await first.exit).toBe(0);
  expect(home.left()).toEqual([]);

  const third = demo(['--exit']);
  expect(await third.exit).toBe(0);
}, 180_000);

test('a demo that is killed takes all it started with it', async () => {
  const running = demo();
  await running.printed(UP);
  process.kill(running.pid, 'SIGKILL');
  await running.exit;
  await home.empty();
}, 120_000);

test('one that is interrupted as it starts leaves nothing either', async () => {
  const running = demo();
  await running.printed('starting PostgreSQL');
  process.kill(running.pid, 'SIGTERM');
  expect(await running.exit).toBe(130);
  // The program that makes the database's files cannot be interrupted.
  await home.empty();
}, 60_000);

describe('what stands in its way is named', () => {
  let taken: Server | undefined;
  afterEach(() => taken?.close());

  test('a folder that is not a demo’s is left alone', async () => {
    const folder = join(home.path, '.gadwall/demo');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'precious'), 'x');
    const running = demo(['--exit']);
    expect(await running.exit).toBe(2);
    expect(running.output()).toMatch(/holds something that is not a demo's: set GADWALL_DATA_DIR to an empty folder/);
    expect(existsSync(join(folder, 'precious'))).toBe(true);
  });

  test('a port that is taken is told, and another one used', async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken?.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const running = demo([], port);
    await running.printed(`port ${port} is taken: the demo uses `);
    await running.printed('PostgreSQL and the manager serve at');
    process.kill(running.pid, 'SIGINT');
    expect(await running.exit).toBe(130);
  }, 120_000);
});
