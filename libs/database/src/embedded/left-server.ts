import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
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
    const { stdout } = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout.trim().endsWith('postgres');
  } catch {
    return false;
  }
}
