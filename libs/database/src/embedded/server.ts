import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endProcess, isRunning, processRef, type ProcessRef } from '../process-ref';
import { findBinaries, type Binaries } from './binaries';
import { clusterUrl, createCluster, ensureDatabase, requireSameMajor } from './cluster';
import { DataFolder, type ClusterRecord } from './data-folder';
import { findLeftServer } from './left-server';
import { launch, STOP_SERVER, type RunningServer } from './launch';

export interface EmbeddedOptions {
  dataDir: string;
  /** A guest (the CLI) makes no cluster, uses a manager's server if there is one, and leaves it to one that starts meanwhile. */
  guest?: boolean;
  /** For tests: the machine's crash may cost the data, and nothing waits for the disk. */
  disposable?: boolean;
  log?: (message: string) => void;
  /** Called as soon as there is a process to watch, before it answers. */
  onServer?: (server: ProcessRef) => void;
}

/** A running server of this data folder. */
export interface EmbeddedServer {
  /** Its process: another one after a crash. */
  readonly ref: ProcessRef;
  /** The control-plane database, as its owner. */
  url: string;
  /** The server's administrator. */
  adminUrl: string;
  /** Stops the server, if it is ours to stop. */
  stop(): Promise<void>;
}

const CHECK_MS = 500;

/**
 * PostgreSQL as a child process: loopback only, a random port, SCRAM only. A server that an earlier run left is adopted, once
 * it has proved to be ours; leftovers that are none are cleared away. One that crashes is started again at its port.
 *
 * @throws if another manager runs on this data folder, a guest finds nothing there, or the server cannot be started
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  if (options.guest && !existsSync(join(options.dataDir, 'postgres.json'))) {
    throw new Error(
      `there is no database in ${options.dataDir}: start Gadwall first, or set GADWALL_DATA_DIR or DATABASE_URL`,
    );
  }
  const folder = new DataFolder(options.dataDir);
  return folder.exclusively(async () => {
    const binaries = findBinaries(folder.account, folder.home());
    const record = folder.record() ?? createCluster(folder, binaries, options.disposable);
    requireSameMajor(record, binaries);
    if (dirname(record.directory) !== folder.path) {
      options.log?.(`${folder.path} is out of reach of the server's account: its data is in ${record.directory}`);
    }
    const owner = otherOwner(record);
    requireFree(folder, owner, options);
    const running = await findLeftServer(record);
    if (running) options.onServer?.(running.ref);
    else if (owner && !owner.guest)
      throw new Error(`the manager (process ${owner.pid}) runs, but not its database server`);
    const server = running ?? (await launch({ folder, record, binaries, ...options }));
    await ensureDatabase(record, server.port);
    const guest = options.guest ?? false;
    // A guest owns only what nobody else does.
    const owned = { ...record, port: server.port, owner: { ...requireRef(process.pid), guest } };
    if (!owner || !guest) folder.writeRecord(owned);
    return new OwnedServer(folder, owned, binaries, server, options);
  });
}

/** The living process, other than this one, that stops the server when it is done. */
function otherOwner({ owner }: ClusterRecord): ClusterRecord['owner'] | null {
  return owner && owner.pid !== process.pid && isRunning(owner) ? owner : null;
}

function requireFree(folder: DataFolder, owner: ClusterRecord['owner'] | null, options: EmbeddedOptions): void {
  if (!owner || owner.guest || options.guest) return;
  throw new Error(
    `another manager (process ${owner.pid}) runs on ${folder.path}: set GADWALL_DATA_DIR to another folder, or DATABASE_URL`,
  );
}

class OwnedServer implements EmbeddedServer {
  readonly url: string;
  readonly adminUrl: string;
  private stopped = false;
  private restarting: Promise<void> | null = null;
  private readonly check: NodeJS.Timeout;

  constructor(
    private readonly folder: DataFolder,
    private readonly record: ClusterRecord,
    private readonly binaries: Binaries,
    private server: RunningServer,
    private readonly options: EmbeddedOptions,
  ) {
    this.url = clusterUrl(record, server.port, 'owner');
    this.adminUrl = clusterUrl(record, server.port, 'admin');
    this.check = setInterval(() => this.keepRunning(), CHECK_MS).unref();
  }

  get ref(): ProcessRef {
    return this.server.ref;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.check);
    await this.restarting;
    await this.folder.exclusively(async () => {
      const record = this.folder.record();
      if (!record || !isOwnedByUs(record)) return;
      if (process.platform === 'win32') {
        spawnSync(this.binaries.pgCtl, ['stop', '-D', record.directory, '-m', 'fast'], { stdio: 'ignore' });
      } else {
        await endProcess(this.ref, STOP_SERVER);
      }
      this.folder.writeRecord({ ...record, owner: undefined });
    });
  }

  /** The same port, so that addresses that were given out stay good. */
  private keepRunning(): void {
    if (this.options.guest || this.stopped || this.restarting || isRunning(this.ref)) return;
    this.options.log?.('the database server ended: starting it again');
    this.restarting = this.folder
      .exclusively(async () => {
        const { folder, record, binaries, options, server } = this;
        this.server = await launch({ folder, record, binaries, port: server.port, ...options });
      })
      .catch((error: unknown) => this.options.log?.(error instanceof Error ? error.message : String(error)))
      .finally(() => (this.restarting = null));
  }
}

function isOwnedByUs({ owner }: ClusterRecord): boolean {
  return owner?.pid === process.pid && isRunning(owner);
}

function requireRef(pid: number): ProcessRef {
  const ref = processRef(pid);
  if (!ref) throw new Error(`process ${pid} is not there`);
  return ref;
}
