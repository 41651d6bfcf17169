import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { endProcess, processRef, type ProcessRef } from '@gadwall/database';

/** A child process to keep running. */
export interface ChildSpec {
  /** Unique among those that run. */
  name: string;
  command: string;
  args: string[];
  /**
   * All of its environment besides PATH, HOME, TZ, LANG and TMPDIR: nothing of ours that it has no need to know. Made anew
   * at each start.
   */
  env?: () => Record<string, string>;
  cwd?: string;
  /** How long it may take to end after SIGTERM, before SIGKILL. Default 10 s. */
  stopMs?: number;
}

/** `waiting`: it ended by itself and will be started again. */
export type ChildState = 'running' | 'waiting' | 'stopping' | 'stopped';

export interface ChildStatus {
  name: string;
  state: ChildState;
  pid: number | null;
  /** How often it was started again after it ended by itself. */
  restarts: number;
  lastExit: { code: number | null; signal: NodeJS.Signals | null; error?: string } | null;
}

export interface ChildProcessesOptions {
  /** Told of each process, so that none outlives this one. */
  watchdog?: { watch(kind: 'node', ref: ProcessRef): void; forget(ref: ProcessRef): void };
  /** Every line that a child writes. Default: thrown away. */
  onOutput?: (name: string, line: string, stream: 'stdout' | 'stderr') => void;
  onChange?: (status: ChildStatus) => void;
  /** Waits between a child's end and its next start: doubled from `minMs` up to `maxMs`, afresh once it ran for `healthyMs`. */
  backOff?: { minMs: number; maxMs: number; healthyMs: number };
}

const BACK_OFF = { minMs: 200, maxMs: 10_000, healthyMs: 10_000 };
const INHERITED = ['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR', 'SystemRoot'];

/** Keeps child processes running: starts them again with back-off when they end by themselves, stops them when told to. */
export class ChildProcesses {
  private readonly children = new Map<string, Child>();
  private closed = false;

  constructor(private readonly options: ChildProcessesOptions = {}) {}

  /** @throws if one of that name is running, or all were stopped for good */
  start(spec: ChildSpec): void {
    if (this.closed) throw new Error('child processes are being stopped');
    if (this.children.has(spec.name)) throw new Error(`child process ${spec.name} is there already`);
    const child = new Child(spec, this.options);
    this.children.set(spec.name, child);
    child.start();
  }

  /** Ends it and forgets it; nothing happens if it is not there. */
  async stop(name: string): Promise<void> {
    const child = this.children.get(name);
    if (!child) return;
    child.retired = true;
    await child.stop();
    if (this.children.get(name) === child) this.children.delete(name);
  }

  /** Ends it, at once if `graceMs` is 0, and starts it again without waiting: for one that is stuck. */
  async restart(name: string, graceMs?: number): Promise<void> {
    const child = this.children.get(name);
    if (!child) throw new Error(`there is no child process ${name}`);
    await child.stop(graceMs);
    if (!child.retired) child.start();
  }

  /** Ends all, together; none is started after that. */
  async stopAll(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.children.keys()].map((name) => this.stop(name)));
  }

  status(name: string): ChildStatus | null {
    return this.children.get(name)?.status() ?? null;
  }

  list(): ChildStatus[] {
    return [...this.children.values()].map((child) => child.status());
  }
}

/** One child, through all its lives. */
class Child {
  /** Not to be started again, by a restart under way either. */
  retired = false;
  private state: ChildState = 'stopped';
  private process: ChildProcess | null = null;
  private ref: ProcessRef | null = null;
  private ended: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;
  private restarts = 0;
  private failures = 0;
  private lastExit: ChildStatus['lastExit'] = null;

  constructor(
    private readonly spec: ChildSpec,
    private readonly options: ChildProcessesOptions,
  ) {}

  start(): void {
    const { command, args, cwd, env } = this.spec;
    const startedAt = Date.now();
    const child = spawn(command, args, {
      cwd,
      env: { ...inherited(), ...env?.() },
      // A group of its own: Ctrl-C at the terminal reaches the manager alone, which then stops things in order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process = child;
    this.ref = child.pid === undefined ? null : processRef(child.pid);
    if (this.ref) this.options.watchdog?.watch('node', this.ref);
    for (const stream of ['stdout', 'stderr'] as const) {
      createInterface({ input: child[stream] }).on('line', (line) =>
        this.options.onOutput?.(this.spec.name, line, stream),
      );
    }
    this.ended = new Promise((resolve) => {
      const end = (exit: NonNullable<ChildStatus['lastExit']>) => {
        if (this.process !== child) return;
        this.onEnd(exit, Date.now() - startedAt);
        resolve();
      };
      child.once(
        'error',
        (error) => child.pid === undefined && end({ code: null, signal: null, error: error.message }),
      );
      child.once('exit', (code, signal) => end({ code, signal }));
    });
    this.change('running');
  }

  async stop(graceMs = this.spec.stopMs ?? 10_000): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.process) {
      this.change('stopping');
      if (this.ref) await endProcess(this.ref, graceMs > 0 ? [['SIGTERM', graceMs]] : []);
      await this.ended;
    } else {
      this.change('stopped');
    }
  }

  status(): ChildStatus {
    const { state, restarts, lastExit } = this;
    return { name: this.spec.name, state, pid: this.process?.pid ?? null, restarts, lastExit };
  }

  private onEnd(exit: NonNullable<ChildStatus['lastExit']>, ranMs: number): void {
    if (this.ref) this.options.watchdog?.forget(this.ref);
    this.process = null;
    this.ref = null;
    this.lastExit = exit;
    if (this.state === 'stopping') return this.change('stopped');
    const { minMs, maxMs, healthyMs } = this.options.backOff ?? BACK_OFF;
    this.failures = ranMs >= healthyMs ? 0 : this.failures;
    this.timer = setTimeout(() => this.startAgain(), Math.min(maxMs, minMs * 2 ** this.failures++));
    this.change('waiting');
  }

  private startAgain(): void {
    this.timer = null;
    this.restarts++;
    this.start();
  }

  private change(state: ChildState): void {
    this.state = state;
    this.options.onChange?.(this.status());
  }
}

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
