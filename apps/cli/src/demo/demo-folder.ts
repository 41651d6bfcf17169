import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, processRef, type ProcessRef } from '@gadwall/database';
import { UsageError } from '../outcome';

/** Says that a folder is a demo's, and which processes use it. */
const MARK = 'gadwall-demo.json';

/** How long the manager of a demo that was killed may take to end, ms. */
const LEFT_MANAGER_MS = 20_000;
/** How long PostgreSQL may take to end once its manager has, ms: the watchdog's time, and some more. */
const LEFT_SERVER_MS = 10_000;

/** The folder in which a demo keeps everything. */
export class DemoFolder {
  private constructor(readonly path: string) {}

  /**
   * An empty folder of the demo's own: what an earlier demo left is removed, anything else is left alone.
   *
   * @throws UsageError if the folder is not a demo's, one is running in it, or it cannot be cleared
   */
  static async fresh(path: string): Promise<DemoFolder> {
    const folder = new DemoFolder(resolve(path));
    try {
      await folder.clear();
      makeFolder(folder.path);
      folder.usedBy(process.pid);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new UsageError(
        `the demo cannot use ${folder.path} (${reason}): remove it if an earlier demo left it, or ${ANOTHER}`,
        { cause: error },
      );
    }
    return folder;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Notes the processes that keep another demo away. */
  usedBy(...pids: number[]): void {
    const processes = pids.map(processRef).filter((ref) => ref !== null);
    writeFileSync(this.file(MARK), JSON.stringify({ processes }), { mode: 0o600 });
  }

  /** Waits until PostgreSQL has ended too: a manager that was interrupted at its start leaves that to its watchdog. */
  async serverGone(): Promise<void> {
    const directory = this.cluster();
    const running = () => directory !== null && existsSync(join(directory, 'postmaster.pid'));
    for (const end = Date.now() + LEFT_SERVER_MS; running() && Date.now() < end; await sleep(50));
  }

  private async clear(): Promise<void> {
    const names = this.names();
    if (names.length === 0) return;
    if (!names.includes(MARK)) throw new UsageError(`${this.path} holds something that is not a demo's: ${ANOTHER}`);
    await this.waitForOthers();
    await this.serverGone();
    const cluster = this.cluster();
    if (cluster !== null && relative(this.path, cluster).startsWith('..'))
      rmSync(cluster, { recursive: true, force: true });
    // The mark goes last: what is removed by halves is still known for a demo's.
    for (const name of names.filter((other) => other !== MARK)) rmSync(this.file(name), { recursive: true });
    rmSync(this.file(MARK));
  }

  private names(): string[] {
    try {
      return readdirSync(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** A manager ends by itself when its demo was killed; a demo that runs does not. */
  private async waitForOthers(): Promise<void> {
    const [demo, manager] = readMark(this.file(MARK));
    if (demo && isRunning(demo)) {
      throw new UsageError(`a demo is running in ${this.path} (process ${demo.pid}): stop it first, or ${ANOTHER}`);
    }
    for (const end = Date.now() + LEFT_MANAGER_MS; manager && isRunning(manager); await sleep(100)) {
      if (Date.now() > end) {
        throw new UsageError(`the manager of an earlier demo is still running (process ${manager.pid}): end it first`);
      }
    }
  }

  /** The database's own folder, which may lie elsewhere (ADR 003, "Root"); null when none was made. */
  private cluster(): string | null {
    try {
      const { directory } = JSON.parse(readFileSync(this.file('postgres.json'), 'utf8')) as { directory: string };
      return /^postgres-[0-9a-f]{12}$/.test(basename(directory)) ? resolve(this.path, directory) : null;
    } catch {
      return null;
    }
  }
}

const ANOTHER = 'set GADWALL_DATA_DIR to an empty folder, or to one that is not there yet';

function readMark(file: string): ProcessRef[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { processes: ProcessRef[] }).processes;
  } catch {
    return []; // the demo was interrupted as it wrote it
  }
}

/** For us alone, but root's PostgreSQL runs as another account, which passes through. */
function makeFolder(path: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  const first = mkdirSync(path, { recursive: true, mode });
  if (first === undefined) return;
  for (let at = path; ; at = resolve(at, '..')) {
    chmodSync(at, mode); // whatever the umask is
    if (at === resolve(first)) return;
  }
}
