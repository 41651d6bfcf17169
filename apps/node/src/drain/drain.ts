import { setTimeout as delay } from 'node:timers/promises';
import type { NodeSession } from '@gadwall/engine';
import { DomainError } from '@gadwall/rbac';

/** What a node has under way. */
interface UnderWay {
  /** Whether a user has a transaction open. */
  inTransaction(): boolean;
  /** Ends the statements that run. */
  interrupt(reason: DomainError): void;
}

const LOOK_MS = 20;
/** ms in which interrupted statements come to their end. */
const INTERRUPT_MS = 1000;

/**
 * The last part of a node's life: it says that it leaves, takes nothing new, and lets what is under way come to its end:
 * statements, and transactions that users have open, up to a limit.
 */
export class Drain {
  private begun = false;
  private statements = 0;

  constructor(
    private readonly underWay: UnderWay,
    /** Tells the manager, which then sends nothing more here. */
    private readonly leave: () => Promise<unknown>,
    private readonly limitMs: number,
  ) {}

  /**
   * Counts a statement as under way until the returned function is called.
   * @throws DomainError `draining`; `session_lost` for a session that has no transaction to end
   */
  enter(session: NodeSession | null): () => void {
    if (this.begun && !session?.transaction) throw new DomainError(session ? 'session_lost' : 'draining');
    this.statements++;
    let left = false;
    return () => {
      if (!left) this.statements--;
      left = true;
    };
  }

  /** Resolves when nothing is under way any more; what still is at the limit is interrupted. */
  async run(): Promise<void> {
    this.begun = true;
    // A manager that cannot be told finds out: every new statement is refused as draining.
    await Promise.race([this.leave().catch(() => undefined), delay(this.limitMs)]);
    await this.quiet(this.limitMs);
    if (this.statements === 0) return;
    process.stderr.write(`gadwall node: ${this.statements} statements are cut off at the limit of the drain\n`);
    this.underWay.interrupt(new DomainError('pool_unavailable'));
    await this.quiet(INTERRUPT_MS);
  }

  private async quiet(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs;
    while ((this.statements > 0 || this.underWay.inTransaction()) && performance.now() < until) await delay(LOOK_MS);
  }
}
