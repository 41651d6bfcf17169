import { performance } from 'node:perf_hooks';
import { DomainError } from '@gadwall/rbac';
import { NodeConnection } from '../duckdb';

/** ms between interrupts of a call that does not return. */
const INTERRUPT_MS = 100;

/** A reader that takes nothing for this long, ms, loses its statement: it holds a connection and a slot. */
const MAX_STALL_MS = 300_000;

/**
 * The engine's work for one statement, under a deadline. Binding cannot be interrupted: at the limit the client is
 * answered at once, while the connection stays taken until the engine has returned (DESIGN invariant 16).
 */
export class EngineTask {
  private last: Promise<unknown> = Promise.resolve();
  private started: Promise<void> | null = null;
  private readonly stopped: Promise<never>;
  private reject: (reason: DomainError) => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;
  private reason: DomainError | null = null;
  /** ms that the engine has worked, and when the call under way, or the wait for the reader, began. */
  private worked = 0;
  private working = false;
  private since = performance.now();

  /** `timeLimit`: ms that the engine may work on the statement; the time in which its reader takes rows does not count. */
  constructor(
    readonly connection: NodeConnection,
    private readonly timeLimit: number,
  ) {
    this.stopped = new Promise<never>((_, reject) => (this.reject = reject));
    this.stopped.catch(() => undefined);
    this.lookIn(timeLimit);
  }

  /** Starts a call without waiting for it: the next one waits, and fails as it fails. */
  start(work: (connection: NodeConnection) => Promise<void>): void {
    this.started = this.call(work);
    this.started.catch(() => undefined);
  }

  /** One call of the engine; rejects as soon as the task is stopped, whatever the engine does. */
  async call<T>(work: (connection: NodeConnection) => Promise<T>): Promise<T> {
    if (this.started) {
      await this.started;
      this.started = null;
    }
    if (this.reason) throw this.reason;
    this.enter(true);
    const running = work(this.connection);
    this.last = running.catch(() => undefined);
    try {
      return await Promise.race([running, this.stopped]);
    } finally {
      this.enter(false);
    }
  }

  private enter(working: boolean): void {
    const now = performance.now();
    if (this.working) this.worked += now - this.since;
    this.working = working;
    this.since = now;
  }

  /** One timer a statement, looked at when it could be due: setting one at every call would cost more than the call. */
  private lookIn(ms: number): void {
    this.timer = setTimeout(() => {
      const elapsed = performance.now() - this.since;
      const left = this.working ? this.timeLimit - this.worked - elapsed : MAX_STALL_MS - elapsed;
      if (left <= 0) this.stop(new DomainError('statement_timeout'));
      else this.lookIn(Math.min(left, Math.max(this.timeLimit - this.worked, 1)));
    }, Math.ceil(ms));
    this.timer.unref();
  }

  /** Ends the task for the reason given, and asks the engine to stop. */
  stop(reason: DomainError): void {
    if (this.reason) return;
    this.reason = reason;
    clearTimeout(this.timer);
    this.reject(reason);
    this.interrupt();
  }

  /** A call that still waits for a thread forgets an interrupt when it starts: asked again until the engine is back. */
  private interrupt(): void {
    this.connection.interrupt();
    this.timer = setTimeout(() => this.interrupt(), INTERRUPT_MS);
    this.timer.unref();
    void this.last.then(() => clearTimeout(this.timer));
  }

  get stopReason(): DomainError | null {
    return this.reason;
  }

  /** Resolves when the engine has returned from the last call; no call may follow. */
  async settled(): Promise<void> {
    if (!this.reason) clearTimeout(this.timer);
    await this.last;
    clearTimeout(this.timer);
  }
}
