import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, processRef, type ProcessRef } from '@gadwall/database';

const GADWALL = join(__dirname, '../../dist/apps/cli/src/main.js');

/** The demo as a process of its own, in a folder of its own. */
interface Demo {
  pid: number;
  output: () => string;
  exit: Promise<number | NodeJS.Signals | null>;
}

let home: string;
const started: ProcessRef[] = [];

beforeAll(() => {
  if (!existsSync(GADWALL)) throw new Error('the demo is not built: npm run build');
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gadwall-demo-'));
});
afterEach(() => {
  for (const ref of started.splice(0)) if (isRunning(ref)) process.kill(ref.pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

function demo(args: string[] = [], port = 0): Demo {
  const child = spawn(process.execPath, [GADWALL, 'demo', ...args], {
    cwd: home,
    env: {
      // Whatever it starts gets this, so that it is found again: see `processesNaming`.
      PATH: `${process.env.PATH}:${home}`,
      HOME: home,
      GADWALL_PORT: String(port),
      // Settings that are meant for another manager are none for the demo.
      DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
      GADWALL_START_NODES: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ref = processRef(child.pid ?? 0);
  if (ref) started.push(ref);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  return { pid: child.pid ?? 0, output: () => output, exit };
}

/** What still runs of the demo: manager, nodes, watchdog, PostgreSQL. */
function left(): string[] {
  const mark = join(home, '.gadwall/demo/gadwall-demo.json');
  const { processes } = JSON.parse(readFileSync(mark, 'utf8')) as { processes: ProcessRef[] };
  return [...processes.filter(isRunning).map(({ pid }) => String(pid)), ...processesNaming(home)];
}

/** On Linux: processes whose command line or environment names a folder. Elsewhere none are looked for. */
function processesNaming(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => read(`/proc/${pid}/${file}`).includes(folder)));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // it has ended, or is not ours
  }
}

async function up(running: Demo): Promise<void> {
  let ended = false;
  void running.exit.then(() => (ended = true));
  while (!running.output().includes('Ctrl-C stops everything')) {
    if (ended) throw new Error(`the demo ended: ${running.output()}`);
    await sleep(100);
  }
}

test('gadwall demo --exit shows every decision as expected, and leaves nothing behind', async () => {
  const running = demo(['--exit']);
  expect(await running.exit).toBe(0);
  expect(running.output()).toMatch(/16 of 16 decisions as expected/);
  expect(running.output()).not.toMatch(/✗|\u001b/);
  expect(left()).toEqual([]);
}, 120_000);

test('it serves until it is told to stop, and starts again on what an earlier one left', async () => {
  const first = demo();
  await up(first);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(first.output())?.[0];
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  expect(left().length).toBeGreaterThan(1);

  const second = demo();
  expect(await second.exit).toBe(2);
  expect(second.output()).toMatch(/a demo is running in .*stop it first/);

  process.kill(first.pid, 'SIGINT');
  expect(await first.exit).toBe(0);
  expect(left()).toEqual([]);

  const third = demo(['--exit']);
  expect(await third.exit).toBe(0);
}, 180_000);

test('a demo that is killed takes all it started with it', async () => {
  const running = demo();
  await up(running);
  process.kill(running.pid, 'SIGKILL');
  await running.exit;
  for (const end = Date.now() + 15_000; left().length > 0 && Date.now() < end;) await sleep(100);
  expect(left()).toEqual([]);
}, 120_000);

describe('what stands in its way is named', () => {
  let taken: Server | undefined;
  afterEach(() => taken?.close());

  test('a folder that is not a demo’s is left alone', async () => {
    mkdirSync(join(home, '.gadwall/demo'), { recursive: true });
    writeFileSync(join(home, '.gadwall/demo/precious'), 'x');
    const running = demo(['--exit']);
    expect(await running.exit).toBe(2);
    expect(running.output()).toMatch(/holds something that is not a demo's: set GADWALL_DATA_DIR to an empty folder/);
    expect(existsSync(join(home, '.gadwall/demo/precious'))).toBe(true);
  });

  test('a port that is taken is told, and another one used', async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken?.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const running = demo(['--exit'], port);
    expect(await running.exit).toBe(0);
    expect(running.output()).toContain(`port ${port} is taken: the demo uses `);
  }, 120_000);
});
