import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, processRef, type ProcessRef } from '../process-ref';
import { canReach, requireOwn, serverAccount, type Account } from './account';

/** What the data folder knows of its cluster: `postgres.json`, readable to its owner only. */
export interface ClusterRecord {
  /** PostgreSQL's data directory. */
  directory: string;
  /** Of `postgres`, the administrator: used to start, prove and stop the server. */
  adminPassword: string;
  /** Of `gadwall`, which owns the database. */
  password: string;
  /** Of the last start. */
  port?: number;
  /** The process that stops the server when it is done; a manager takes it over from a guest (the CLI). */
  owner?: ProcessRef & { guest: boolean };
}

/** Where root puts what the server's account must reach when the data folder is out of its reach. */
const SHARED_HOME = '/var/lib/gadwall';

/** `.gadwall`, or where GADWALL_DATA_DIR says. Everything that a default installation keeps is in it. */
export class DataFolder {
  readonly path: string;
  /** The account that the server runs as: null = ours. */
  readonly account: Account | null;

  /** Makes the folder. @throws if it is in another user's hands */
  constructor(path: string) {
    const account = serverAccount();
    // The server's account passes through to its own folder; what else is here is readable to its owner only.
    makePlain(path, account ? 0o711 : 0o700);
    this.path = realpathSync(path);
    requireOwn(this.path);
    // PostgreSQL insists on the owner of its files, and which account we would choose may have changed since they were made.
    this.account = account && (ownerOf(this.record()?.directory) ?? account);
  }

  /**
   * A folder for what the server's account must reach: this one or, when that lies under a closed one such as /root, one under
   * /var/lib, where only root can make anything.
   */
  home(): string {
    if (canReach(this.account, this.path)) return this.path;
    makePlain(SHARED_HOME, 0o711);
    requireOwn(SHARED_HOME);
    return SHARED_HOME;
  }

  /** A new folder for a cluster to be made in, owned by that account, in `home`. What an interrupted start left is removed. */
  makeDraft(): string {
    for (const name of readdirSync(this.path)) {
      if (/^postgres-[0-9a-f]{12}\.draft$/.test(name)) rmSync(join(this.path, name), { recursive: true });
    }
    const folder = join(this.home(), `postgres-${randomBytes(6).toString('hex')}.draft`);
    mkdirSync(folder, { mode: 0o700 });
    if (this.account) chownSync(folder, this.account.uid, this.account.gid);
    return folder;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  record(): ClusterRecord | null {
    try {
      const record = JSON.parse(readFileSync(this.file('postgres.json'), 'utf8')) as ClusterRecord;
      return { ...record, directory: resolve(this.path, record.directory) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  writeRecord(record: ClusterRecord): void {
    // Relative where it lies in here: the whole folder can be moved.
    const inside = dirname(record.directory) === this.path;
    const directory = inside ? basename(record.directory) : record.directory;
    writePrivateFile(this.file('postgres.json'), JSON.stringify({ ...record, directory }, null, 2));
  }

  /** Runs `work` while no other process does so for this folder. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const lock = this.file('starting.lock');
    while (!tryCreate(lock)) {
      breakIfStale(lock);
      await sleep(50);
    }
    try {
      return await work();
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

/** Makes a folder, and those above it, unless they are there, with this mode whatever the umask is. */
function makePlain(path: string, mode: number): void {
  const first = mkdirSync(path, { recursive: true, mode });
  if (first === undefined) return;
  for (let at = resolve(path); ; at = dirname(at)) {
    chmodSync(at, mode);
    if (at === resolve(first)) return;
  }
}

function ownerOf(directory: string | undefined): Account | null {
  const stats = directory === undefined ? undefined : statSync(directory, { throwIfNoEntry: false });
  return stats && stats.uid !== 0 ? { uid: stats.uid, gid: stats.gid } : null;
}

/** Writes a file that only its owner reads, whole or not at all. */
export function writePrivateFile(path: string, content: string): void {
  const draft = join(dirname(path), `.${randomBytes(6).toString('hex')}`);
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, content);
  } finally {
    closeSync(file);
  }
  try {
    renameSync(draft, path);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
}

function tryCreate(lock: string): boolean {
  const draft = `${lock}.${randomBytes(6).toString('hex')}`;
  writePrivateFile(draft, JSON.stringify(processRef(process.pid)));
  try {
    linkSync(draft, lock); // with its content, or not at all
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** Removes the lock of a process that has ended. One breaker at a time: a slow one must not remove the lock of the next holder. */
function breakIfStale(lock: string): void {
  const breaking = `${lock}.breaking`;
  try {
    mkdirSync(breaking);
  } catch {
    const since = statSync(breaking, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > 10_000) rmSync(breaking, { recursive: true, force: true });
    return;
  }
  try {
    if (!isRunning(JSON.parse(readFileSync(lock, 'utf8')) as ProcessRef)) rmSync(lock);
  } catch {
    // released meanwhile
  } finally {
    rmSync(breaking, { recursive: true, force: true });
  }
}
