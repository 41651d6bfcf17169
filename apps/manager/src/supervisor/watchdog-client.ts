import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProcessRef } from '@gadwall/database';
import type { WatchdogMessage, WatchedKind } from './watchdog.protocol';

/** The manager's end of the pipe to its watchdog, which it starts, and starts again should it end before its time. */
export class Watchdog {
  private readonly watched = new Map<ProcessRef, WatchedKind>();
  private child: ChildProcess;
  private stopped = false;

  constructor(private readonly log: (message: string) => void = () => {}) {
    this.child = this.start();
  }

  /** The watchdog's own process id. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** From now on `ref` ends when this process does: a node first, then PostgreSQL, each in its way. */
  watch(kind: WatchedKind, ref: ProcessRef): void {
    this.watched.set(ref, kind);
    this.tell({ do: 'watch', kind, ref });
  }

  /** `ref` has ended, or is nobody's business any more. */
  forget(ref: ProcessRef): void {
    if (this.watched.delete(ref)) this.tell({ do: 'forget', ref });
  }

  /** Ends the watchdog, which first ends what it still watches; the last thing of an orderly stop. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    // Else we would end before it, having nothing else to wait for.
    this.child.ref();
    this.child.stdin?.end();
    await gone;
  }

  private start(): ChildProcess {
    const child = spawn(process.execPath, [watchdogProgram()], {
      // In a group of its own, and with no hold on our terminal, working directory or environment.
      detached: true,
      cwd: '/',
      env: { PATH: process.env.PATH },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin?.on('error', () => {}); // it has ended: told below
    child.on('error', (error) => this.log(`the watchdog does not start: ${error.message}`));
    child.on('exit', () => {
      if (this.stopped) return;
      this.log('the watchdog ended: starting another');
      setTimeout(() => this.startAgain(), 200).unref();
    });
    child.unref();
    return child;
  }

  private startAgain(): void {
    if (this.stopped) return;
    this.child = this.start();
    for (const [ref, kind] of this.watched) this.tell({ do: 'watch', kind, ref });
  }

  private tell(message: WatchdogMessage): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

/** Beside this file when built; the build's when this runs from sources. */
function watchdogProgram(): string {
  const beside = join(__dirname, 'watchdog.js');
  if (existsSync(beside)) return beside;
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const built = join(folder, 'dist/apps/manager/src/supervisor/watchdog.js');
    if (existsSync(built)) return built;
  }
  throw new Error('watchdog.js is not there: build first (npm run build)');
}
