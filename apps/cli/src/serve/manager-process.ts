import { spawn, type ChildProcess, type IOType } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../outcome';

/** A manager as a process of its own, which never outlives this one. */
export interface ManagerProcess {
  pid: number;
  /** How it ended, as a shell tells it: 128 and its number for a signal. Null while it runs. */
  readonly exitCode: number | null;
  /** Resolves with the exit code when it has ended. */
  ended: Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it in order, with everything that it started; at once when it takes too long. */
  stop(): Promise<void>;
}

export interface ManagerProcessOptions {
  env: NodeJS.ProcessEnv;
  /** Where its standard output and error go: `inherit`, or an open file. */
  output: IOType | number;
  /** In a process group of its own: Ctrl-C at the terminal does not reach it. */
  ownGroup?: boolean;
}

/** How long a manager may take to stop, ms: statements end, nodes and PostgreSQL stop. */
const STOP_MS = 20_000;

/** @throws UsageError if the manager is not built */
export async function startManager({ env, output, ownGroup }: ManagerProcessOptions): Promise<ManagerProcess> {
  const child = spawn(process.execPath, ['--require', join(__dirname, 'end-with-parent.js'), managerProgram()], {
    env,
    detached: ownGroup,
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ended = new Promise<number>((resolve) => child.once('exit', () => resolve(exitCodeOf(child) ?? 1)));
  const pid = await pidOf(child);
  return {
    pid,
    ended,
    get exitCode() {
      return exitCodeOf(child);
    },
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

function exitCodeOf({ exitCode, signalCode }: ChildProcess): number | null {
  return signalCode === null ? exitCode : 128 + constants.signals[signalCode];
}

function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
}

/** The manager's program, built beside this one: applications do not import each other. */
function managerProgram(): string {
  const program = join(__dirname, '../../../manager/src/main.js');
  if (!existsSync(program)) throw new UsageError('the manager is not built: npm run build');
  return program;
}
