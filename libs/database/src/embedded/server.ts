import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, isRunning, processRef, type ProcessRef } from '../process-ref';
import { serverAccount, type Account } from './account';
import { findBinaries, type Binaries } from './binaries';
import { clusterUrl, createCluster, ensureDatabase, isServerOf, requireSameMajor, serverEnvironment } from './cluster';
import { DataFolder, type ClusterRecord } from './data-folder';

export interface EmbeddedOptions {
  dataDir: string;
  /** A guest (the CLI) makes no cluster, uses a manager's server if there is one, and leaves it to one that starts meanwhile. */
  guest?: boolean;
  log?: (message: string) => void;
  /** Called as soon as there is a process to watch, before it answers. */
  onServer?: (server: ProcessRef) => void;
}

/** A running server of this data folder. */
export interface EmbeddedServer {
  ref: ProcessRef;
  /** The control-plane database, as its owner. */
  url: string;
  /** The server's administrator. */
  adminUrl: string;
  /** Stops the server, if it is ours to stop. */
  stop(): Promise<void>;
}

/** SIGINT: fast shutdown, sessions are ended. SIGQUIT: at once, recovered at the next start. */
const STOP_SERVER = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
] as const;

const READY_MS = 60_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/**
 * PostgreSQL as a child process: loopback only, a random port, SCRAM only. A server that an earlier run left is adopted, once
 * it has proved to be ours; leftovers that are none are cleared away.
 *
 * @throws if another manager runs on this data folder, a guest finds nothing there, or the server cannot be started
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  if (options.guest && !existsSync(join(options.dataDir, 'postgres.json'))) {
    throw new Error(
      `there is no database in ${options.dataDir}: start Gadwall first, or set GADWALL_DATA_DIR or DATABASE_URL`,
    );
  }
  const account = serverAccount();
  const folder = new DataFolder(options.dataDir, account);
  return folder.exclusively(async () => {
    const binaries = findBinaries(account, folder.home());
    const record = folder.record() ?? createCluster(folder, account, binaries);
    requireSameMajor(record, binaries);
    if (dirname(record.directory) !== folder.path) {
      options.log?.(`${folder.path} is out of reach of the server's account: its data is in ${record.directory}`);
    }
    const owner = otherOwner(record);
    if (owner && !owner.guest && !options.guest) {
      throw new Error(
        `another manager (process ${owner.pid}) runs on ${folder.path}: set GADWALL_DATA_DIR to another folder, or DATABASE_URL`,
      );
    }
    const running = await leftServer(record);
    if (running) options.onServer?.(running.ref);
    else if (owner && !owner.guest)
      throw new Error(`the manager (process ${owner.pid}) runs, but not its database server`);
    const { ref, port } = running ?? (await start(folder, record, account, binaries, options));
    await ensureDatabase(record, port);
    const guest = options.guest ?? false;
    // A guest owns only what nobody else does.
    if (!owner || !guest) folder.writeRecord({ ...record, port, owner: { ...requireRef(process.pid), guest } });
    return {
      ref,
      url: clusterUrl(record, port, 'owner'),
      adminUrl: clusterUrl(record, port, 'admin'),
      stop: () => stop(folder, ref, binaries),
    };
  });
}

/** The living process, other than this one, that stops the server when it is done. */
function otherOwner({ owner }: ClusterRecord): ClusterRecord['owner'] | null {
  return owner && owner.pid !== process.pid && isRunning(owner) ? owner : null;
}

async function stop(folder: DataFolder, ref: ProcessRef, binaries: Binaries): Promise<void> {
  await folder.exclusively(async () => {
    const record = folder.record();
    if (record?.owner?.pid !== process.pid || !isRunning(record.owner)) return;
    if (process.platform === 'win32') {
      spawnSync(binaries.pgCtl, ['stop', '-D', record.directory, '-m', 'fast'], { stdio: 'ignore' });
    } else {
      await endProcess(ref, STOP_SERVER);
    }
    folder.writeRecord({ ...record, owner: undefined });
  });
}

/** The server that runs on the cluster already, if one does and answers. Whatever else is in its way is removed. */
async function leftServer(record: ClusterRecord): Promise<{ ref: ProcessRef; port: number } | null> {
  const pidFile = join(record.directory, 'postmaster.pid');
  let deadline = Date.now() + READY_MS;
  for (; ; await sleep(50)) {
    const [pid, , , port] = readLines(pidFile);
    const ref = pid === undefined ? null : processRef(Number(pid));
    if (!ref) return null; // PostgreSQL takes a file of a process that is gone for what it is
    try {
      if (port && (await isServerOf(record, Number(port)))) return { ref, port: Number(port) };
    } catch (error) {
      if (isWrongPassword(error)) deadline = 0; // it will not get better; the restart says what is wrong
    }
    if (!isPostmasterOf(ref, record.directory)) {
      // Its number was given to another process; PostgreSQL would refuse to start beside that one.
      rmSync(pidFile, { force: true });
      return null;
    }
    if (Date.now() > deadline) await endProcess(ref, STOP_SERVER);
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** A server has its data directory as working directory; elsewhere than on Linux the name of the program must do. */
function isPostmasterOf({ pid }: ProcessRef, directory: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === directory;
    if (process.platform === 'win32') return true;
    return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' })
      .stdout.trim()
      .endsWith('postgres');
  } catch {
    return false;
  }
}

async function start(
  folder: DataFolder,
  record: ClusterRecord,
  account: Account | null,
  binaries: Binaries,
  options: EmbeddedOptions,
): Promise<{ ref: ProcessRef; port: number }> {
  const logFile = folder.file('postgres.log');
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
  let problem = '';
  // Again if somebody took the port in between, or backends of a killed server are still ending.
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort();
    const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    const child = spawnServer(binaries.postgres, record.directory, port, account, logFile);
    const ref = child.pid === undefined ? null : processRef(child.pid);
    if (ref) {
      options.onServer?.(ref);
      if (await answers(record, port, child, ref)) return { ref, port };
    }
    problem = readFileSync(logFile, 'utf8').slice(from).slice(-2000);
    await sleep(200);
  }
  throw new Error(`PostgreSQL does not start: ${problem || 'see postgres.log'}`);
}

function spawnServer(
  program: string,
  directory: string,
  port: number,
  account: Account | null,
  logFile: string,
): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC', log_timezone: 'UTC' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  try {
    const child = spawn(program, ['-D', directory, '-p', String(port), ...flags], {
      ...account,
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

function isWrongPassword(error: unknown): boolean {
  return (error as { code?: string }).code === '28P01';
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

function requireRef(pid: number): ProcessRef {
  const ref = processRef(pid);
  if (!ref) throw new Error(`process ${pid} is not there`);
  return ref;
}
