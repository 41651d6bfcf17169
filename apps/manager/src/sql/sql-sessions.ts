import { Injectable } from '@nestjs/common';
import { DomainError } from '@gadwall/rbac';

export interface SqlSession {
  /** User id, or the static key. */
  principal: string;
  tenant: string;
  pool: string;
  nodeId: string;
  expiresAt: Date;
}

/** Where the open sessions of this manager are. */
@Injectable()
export class SqlSessions {
  private readonly sessions = new Map<string, SqlSession>();

  add(id: string, session: SqlSession): void {
    const now = Date.now();
    for (const [old, { expiresAt }] of this.sessions) if (expiresAt.getTime() < now) this.sessions.delete(old);
    this.sessions.set(id, session);
  }

  /**
   * Another's session is as unknown as one that never was.
   * @throws DomainError `not_found`
   */
  of(id: string, principal: string): SqlSession {
    const session = this.sessions.get(id);
    if (!session || session.principal !== principal) throw new DomainError('not_found');
    return session;
  }

  remove(id: string): void {
    this.sessions.delete(id);
  }
}
