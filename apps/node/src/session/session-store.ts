import { randomUUID } from 'node:crypto';
import { Engine, NodeSession, type SessionOwner } from '@gadwall/engine';
import { DomainError } from '@gadwall/rbac';

interface Kept {
  session: NodeSession;
  idleMs: number;
  absoluteMs: number;
}

/** How often sessions are looked at for their time limits, ms. */
const SWEEP_MS = 1_000;

/** Sessions of one user, and of all: each is a connection with what the engine keeps for it (DESIGN invariant 16). */
const MAX_OF_USER = 100;
const MAX_SESSIONS = 2_000;

/** The sessions of a node, each a connection of its own, ended when idle or old. */
export class SessionStore {
  private readonly sessions = new Map<string, Kept>();
  private readonly sweeper: NodeJS.Timeout;
  /** For whom connections are being made. */
  private readonly opening = new Set<SessionOwner>();

  constructor(
    private readonly engine: Engine,
    private readonly now: () => number = Date.now,
  ) {
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS);
    this.sweeper.unref();
  }

  /** @throws DomainError `too_many_sessions` */
  async open(owner: SessionOwner, idleTimeoutSec: number, absoluteTimeoutSec: number): Promise<NodeSession> {
    const owners = [...this.opening, ...[...this.sessions.values()].map(({ session }) => session.owner)];
    const own = owners.filter(({ userId }) => userId === owner.userId);
    if (own.length >= MAX_OF_USER || owners.length >= MAX_SESSIONS) throw new DomainError('too_many_sessions');
    this.opening.add(owner);
    try {
      return await this.add(owner, idleTimeoutSec, absoluteTimeoutSec);
    } finally {
      this.opening.delete(owner);
    }
  }

  private async add(owner: SessionOwner, idleTimeoutSec: number, absoluteTimeoutSec: number): Promise<NodeSession> {
    const session = new NodeSession(`s_${randomUUID()}`, owner, await this.engine.connect(), this.now());
    this.sessions.set(session.id, { session, idleMs: idleTimeoutSec * 1000, absoluteMs: absoluteTimeoutSec * 1000 });
    return session;
  }

  /**
   * Another's session is as unknown as one that never was.
   * @throws DomainError `not_found`
   */
  get(id: string, owner: SessionOwner): NodeSession {
    const kept = this.sessions.get(id);
    if (!kept || !owns(kept.session.owner, owner)) throw new DomainError('not_found');
    return kept.session;
  }

  /** Takes a session for one statement. @throws DomainError `not_found`, `too_many_statements` */
  take(id: string, owner: SessionOwner): { session: NodeSession; giveBack: () => void } {
    const session = this.get(id, owner);
    if (session.busy) throw new DomainError('too_many_statements');
    session.busy = true;
    const giveBack = () => {
      session.busy = false;
      session.lastUsedAt = this.now();
      if (session.closed || session.lost) session.end();
    };
    return { session, giveBack };
  }

  /** Whether one of them has a transaction open that can still be committed. */
  inTransaction(): boolean {
    return [...this.sessions.values()].some(
      ({ session: { transaction, lost } }) => !lost && transaction !== null && transaction.aborted === null,
    );
  }

  close(id: string, owner: SessionOwner): void {
    this.end(this.get(id, owner));
  }

  closeAll(): void {
    clearInterval(this.sweeper);
    for (const { session } of this.sessions.values()) this.end(session);
  }

  private end(session: NodeSession): void {
    this.sessions.delete(session.id);
    session.closed = true;
    if (session.busy) session.connection.interrupt();
    else session.end();
  }

  private sweep(): void {
    const now = this.now();
    for (const { session, idleMs, absoluteMs } of this.sessions.values()) {
      const idle = !session.busy && now - session.lastUsedAt > idleMs;
      if (idle || now - session.openedAt > absoluteMs) this.end(session);
    }
  }
}

function owns(a: SessionOwner, b: SessionOwner): boolean {
  return a.userId === b.userId && a.tenant === b.tenant && a.poolId === b.poolId;
}
