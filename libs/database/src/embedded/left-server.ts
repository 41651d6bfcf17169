import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, processRef, type ProcessRef } from '../process-ref';
import { isServerOf, isWrongPassword } from './cluster';
import { READY_MS, STOP_SERVER, type RunningServer } from './launch';
import type { ClusterRecord } from './data-folder';

/** The server that runs on the cluster already, if one does and answers. Whatever else is in its way is removed. */
export async function findLeftServer(record: ClusterRecord): Promise<RunningServer | null> {
  const pidFile = join(record.directory, 'postmaster.pid');
  let deadline = Date.now() + READY_MS;
  for (; ; await sleep(50)) {
    const [pid, , , port] = readLines(pidFile);
    const ref = pid === undefined ? null : processRef(Number(pid));
    if (!ref) return clearAway(record.directory, pidFile);
    try {
      if (port && (await isServerOf(record, Number(port)))) return { ref, port: Number(port) };
    } catch (error) {
      if (isWrongPassword(error)) deadline = 0; // it will not get better; the restart says what is wrong
    }
    if (!isPostmasterOf(ref, record.directory)) return clearAway(record.directory, pidFile);
    if (Date.now() > deadline) await endProcess(ref, STOP_SERVER);
  }
}

/**
 * PostgreSQL refuses to start while the process in its file exists, be it one that was never waited for or another one that
 * got its number. What the file protects from is a backend of the old server that still writes: those are ended first.
 */
async function clearAway(directory: string, pidFile: string): Promise<null> {
  if (process.platform === 'linux') {
    const backends = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && worksIn(Number(name), directory))
      .flatMap((name) => processRef(Number(name)) ?? []);
    await Promise.all(backends.map((backend) => endProcess(backend, [['SIGQUIT', 2000]])));
  }
  rmSync(pidFile, { force: true });
  return null;
}

function worksIn(pid: number, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return false; // gone, or not ours to look at
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
  if (process.platform === 'linux') return worksIn(pid, directory);
  if (process.platform === 'win32') return true;
  try {
    const { stdout } = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout.trim().endsWith('postgres');
  } catch {
    return false;
  }
}
