import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, processRef, type ProcessRef } from '../process-ref';
import { isServerOf, isWrongPassword, serverEnvironment } from './cluster';
import type { Binaries } from './binaries';
import type { ClusterRecord, DataFolder } from './data-folder';

/** A server process that answers. */
export interface RunningServer {
  ref: ProcessRef;
  port: number;
}

/** SIGINT: fast shutdown, sessions are ended. SIGQUIT: at once, recovered at the next start. */
export const STOP_SERVER = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
] as const;

/** How long a server may take to start; recovery after a crash counts. */
export const READY_MS = 60_000;

const ATTEMPTS = 5;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The text of a failed statement, or of the row that it failed on, may hold what must not be in a log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

const DISPOSABLE = { fsync: 'off', full_page_writes: 'off' };

/** What to start, and how. */
export interface Launch {
  folder: DataFolder;
  record: ClusterRecord;
  binaries: Binaries;
  /** The one to use; else any that is free. */
  port?: number;
  disposable?: boolean;
  /** Called as soon as there is a process. */
  onServer?: (ref: ProcessRef) => void;
}

/**
 * Starts the cluster's server and waits until it answers. It writes to `postgres.log`.
 *
 * @throws an error with the end of the server's log
 */
export async function launch({ port: wanted, onServer, ...cluster }: Launch): Promise<RunningServer> {
  const logFile = cluster.folder.file('postgres.log');
  if (sizeOf(logFile) > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
  let problem = '';
  // Again if somebody took the port in between, or backends of a killed server are still ending.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const from = sizeOf(logFile);
    const port = wanted ?? (await freePort());
    const child = spawnServer(cluster, port, logFile);
    const ref = child.pid === undefined ? null : processRef(child.pid);
    if (ref) {
      onServer?.(ref);
      if (await answers(cluster.record, port, child, ref)) return { ref, port };
    }
    problem = readFileSync(logFile, 'utf8').slice(from).slice(-2000);
    await sleep(200);
  }
  throw new Error(`PostgreSQL does not start: ${problem || 'see postgres.log'}`);
}

function spawnServer({ folder, record, binaries, disposable }: Launch, port: number, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  const flags = Object.entries({ ...SETTINGS, ...(disposable && DISPOSABLE) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  try {
    const child = spawn(binaries.postgres, ['-D', record.directory, '-p', String(port), ...flags], {
      ...folder.account,
      cwd: '/',
      env: serverEnvironment(),
      // A group of its own: Ctrl-C at the terminal reaches us alone, and we stop things in order.
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.on('error', () => {}); // then it has no pid
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

async function answers(record: ClusterRecord, port: number, child: ChildProcess, ref: ProcessRef): Promise<boolean> {
  let problem: unknown;
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(20)) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    try {
      if (await isServerOf(record, port)) return true;
    } catch (error) {
      problem = error;
      if (isWrongPassword(error)) break;
    }
  }
  await endProcess(ref, STOP_SERVER);
  throw new Error('PostgreSQL started but does not take the password in postgres.json', { cause: problem });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        server.close(() => resolve(port));
      });
  });
}
