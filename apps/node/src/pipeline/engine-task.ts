import { DomainError } from '@gadwall/rbac';
import { NodeConnection } from '../engine';

/**
 * The engine's work for one statement, under a deadline. Binding cannot be interrupted: at the limit the client is
 * answered at once, while the connection stays taken until the engine has returned (DESIGN invariant 16).
 */
export class EngineTask {
  private last: Promise<unknown> = Promise.resolve();
  private readonly stopped: Promise<never>;
  private reject: (reason: DomainError) => void = () => undefined;
  private readonly timer: NodeJS.Timeout;
  private reason: DomainError | null = null;

  /** `timeLimit` in ms. */
  constructor(
    readonly connection: NodeConnection,
    timeLimit: number,
  ) {
    this.stopped = new Promise<never>((_, reject) => (this.reject = reject));
    this.stopped.catch(() => undefined);
    this.timer = setTimeout(() => this.stop(new DomainError('statement_timeout')), timeLimit);
    this.timer.unref();
  }

  /** One call of the engine; rejects as soon as the task is stopped, whatever the engine does. */
  async call<T>(work: (connection: NodeConnection) => Promise<T>): Promise<T> {
    if (this.reason) throw this.reason;
    const running = work(this.connection);
    this.last = running.catch(() => undefined);
    return Promise.race([running, this.stopped]);
  }

  /** Ends the task for the reason given, and asks the engine to stop. */
  stop(reason: DomainError): void {
    if (this.reason) return;
    this.reason = reason;
    this.reject(reason);
    this.connection.interrupt();
  }

  get stopReason(): DomainError | null {
    return this.reason;
  }

  /** Resolves when the engine has returned from the last call; no call may follow. */
  async settled(): Promise<void> {
    clearTimeout(this.timer);
    await this.last;
  }
}
