import { AccessDenied, DomainError, type EffectiveSet, type Handle, verdictAgain } from '@gadwall/rbac';
import type { Description } from '@gadwall/rewriters';

/** Whose statement runs, as a manager knows them. */
export type Principal = Pick<Handle, 'userId' | 'tenant' | 'poolId'>;

/** A statement that was admitted and has not ended. */
export interface Admitted {
  handle: Handle;
  /** By which it was admitted. */
  set: EffectiveSet;
  description: Description;
  /** Ends it; what it has sent is sent. */
  interrupt: (reason: DomainError) => void;
}

/** The statements under way on this node. */
export class RunningStatements {
  private readonly running = new Set<Admitted>();
  private readonly listeners: ((statement: Admitted) => void)[] = [];

  /** Adds one until the returned function is called. */
  add(statement: Admitted): () => void {
    this.running.add(statement);
    for (const listener of this.listeners) listener(statement);
    return () => this.running.delete(statement);
  }

  onAdded(listener: (statement: Admitted) => void): void {
    this.listeners.push(listener);
  }

  /** Ends all of them. */
  interrupt(reason: DomainError): void {
    for (const statement of this.running) statement.interrupt(reason);
  }

  principals(): Principal[] {
    const distinct = new Map<string, Principal>();
    for (const { handle } of this.running) {
      const { userId, tenant, poolId } = handle;
      distinct.set(JSON.stringify([userId, tenant, poolId]), { userId, tenant, poolId });
    }
    return [...distinct.values()];
  }

  /** Judges the statements of a principal again, by the set they have now, and ends those that would be refused. */
  judge(principal: Principal, now: EffectiveSet | DomainError): void {
    for (const statement of this.running) {
      const { handle, set, description } = statement;
      const { userId, tenant, poolId } = principal;
      if (handle.userId !== userId || handle.tenant !== tenant || handle.poolId !== poolId) continue;
      if (now instanceof DomainError) {
        statement.interrupt(now);
        continue;
      }
      const judged = verdictAgain(set, now, description);
      if (!judged.allow) statement.interrupt(new AccessDenied(judged));
    }
  }
}
