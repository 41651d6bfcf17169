import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, processRef, type ProcessRef } from '@gadwall/database';

const GADWALL = join(__dirname, '../../dist/apps/cli/src/main.js');

/** `gadwall` as a process of its own. */
export interface RunningCli {
  pid: number;
  /** Standard output and error so far. */
  output(): string;
  /** Resolves when it has ended and its output is whole. */
  exit: Promise<number | NodeJS.Signals | null>;
  /** Resolves when it has printed a text; rejects when it ends before. */
  printed(text: string): Promise<void>;
}

/** A folder of one spec's own, and the commands that were run in it. */
export interface CliHome {
  path: string;
  run(args: string[], env?: NodeJS.ProcessEnv): RunningCli;
  /** Process ids of what still runs of all that was started here, on Linux; elsewhere none are looked for. */
  left(): string[];
  /** Resolves when nothing is left. @throws when something still is after 15 s */
  empty(): Promise<void>;
  remove(): void;
}

/** @throws if the command is not built */
export function cliHome(): CliHome {
  if (!existsSync(GADWALL)) throw new Error('the command is not built: npm run build');
  const path = mkdtempSync(join(tmpdir(), 'gadwall-cli-'));
  const started: ProcessRef[] = [];
  return {
    path,
    run(args, env) {
      const running = start(path, args, env);
      const ref = processRef(running.pid);
      if (ref) started.push(ref);
      return running;
    },
    left: () => processesNaming(path),
    async empty() {
      for (const end = Date.now() + 15_000; processesNaming(path).length > 0; await sleep(50)) {
        if (Date.now() > end) throw new Error(`still running: ${processesNaming(path).join(', ')}`);
      }
    },
    remove() {
      for (const ref of started) if (isRunning(ref)) process.kill(ref.pid, 'SIGKILL');
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function start(home: string, args: string[], env: NodeJS.ProcessEnv = {}): RunningCli {
  const child = spawn(process.execPath, [GADWALL, ...args], {
    cwd: home,
    // Whatever it starts inherits this path, so that it is found again: see `processesNaming`.
    env: { PATH: `${process.env.PATH}:${home}`, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  let ended = false;
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => {
      ended = true;
      resolve(code ?? signal);
    }),
  );
  const printed = async (text: string) => {
    while (!output.includes(text)) {
      if (ended) throw new Error(`ended before it printed ${JSON.stringify(text)}: ${output}`);
      await sleep(50);
    }
  };
  return { pid: child.pid ?? 0, output: () => output, exit, printed };
}

/** Ids of the processes whose command line or environment names a folder, on Linux; elsewhere none are looked for. */
export function processesNaming(folder: string): string[] {
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
