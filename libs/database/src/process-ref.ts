import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process for certain: its id with the time that it started at, so that one which got the same id later is not taken for it. */
export interface ProcessRef {
  pid: number;
  /** Compared for equality only. */
  started: string;
}

/** The process that has this id now; null if none has, or only one that ended and was not waited for. */
export function processRef(pid: number): ProcessRef | null {
  const started = startOf(pid);
  return started === null ? null : { pid, started };
}

/** Whether the very process still runs. */
export function isRunning(ref: ProcessRef): boolean {
  return startOf(ref.pid) === ref.started;
}

/**
 * Ends a process: sends each signal and waits up to so many ms for it to go, then SIGKILL.
 *
 * @returns the signal it went with; null if it was gone already
 */
export async function endProcess(
  ref: ProcessRef,
  steps: readonly (readonly [signal: NodeJS.Signals, waitMs: number])[],
): Promise<NodeJS.Signals | null> {
  if (!isRunning(ref)) return null;
  for (const [signal, waitMs] of [...steps, ['SIGKILL', 2000] as const]) {
    if (!send(ref.pid, signal)) return signal;
    for (const end = Date.now() + waitMs; Date.now() < end; await sleep(20)) {
      if (!isRunning(ref)) return signal;
    }
  }
  throw new Error(`process ${ref.pid} does not end`);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

function startOf(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === 'linux') return startOnLinux(pid);
  if (process.platform === 'win32') return exists(pid) ? 'unknown' : null;
  try {
    // `stat` tells a process that has ended but was not waited for.
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
}

function startOnLinux(pid: number): string | null {
  try {
    // The name, in parentheses, may hold anything; after it come state (field 3) and, as field 22, the start in ticks since boot.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ended = fields[0] === 'Z' || fields[0] === 'X';
    return ended ? null : `${bootId()}:${fields[19]}`;
  } catch {
    return null;
  }
}

let boot: string | undefined;
function bootId(): string {
  return (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
