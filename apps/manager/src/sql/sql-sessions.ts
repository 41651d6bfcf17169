import { Injectable } from '@nestjs/common';
import { DomainError } from '@gadwall/rbac';

export interface SqlSession {
  /** User id, or the static key. */
  principal: string;
  tenant: string;
  pool: string;
  nodeId: string;
  /** After so long without a statement the node has ended it. */
  idleMs: number;
  expiresAt: Date;
}

/** Where the open sessions of this manager are. */
@Injectable()
export class SqlSessions {
  private readonly sessions = new Map<string, SqlSession & { usedAt: number }>();

  add(id: string, session: SqlSession): void {
    const now = Date.now();
    for (const [old, { expiresAt }] of this.sessions) if (expiresAt.getTime() < now) this.sessions.delete(old);
    this.sessions.set(id, { ...session, usedAt: now });
  }

  /** How many of them are on a node, but for those that it has ended by now. */
  on(nodeId: string): number {
    const now = Date.now();
    let count = 0;
    for (const { nodeId: node, usedAt, idleMs, expiresAt } of this.sessions.values()) {
      if (node === nodeId && usedAt + idleMs > now && expiresAt.getTime() > now) count++;
    }
    return count;
  }

  /**
   * Another's session is as unknown as one that never was.
   * @throws DomainError `not_found`
   */
  of(id: string, principal: string): SqlSession {
    const session = this.sessions.get(id);
    if (!session || session.principal !== principal) throw new DomainError('not_found');
    session.usedAt = Date.now();
    return session;
  }

  remove(id: string): void {
    this.sessions.delete(id);
  }
}
