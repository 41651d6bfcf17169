import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { READS } from '../postgres';
import type { Authenticated } from './principal';
import { newSessionToken, sameSecret, tokenHash } from './token';

/** Its name in logs and answers; no user can be confused with it, for it has no user id. */
const API_KEY_NAME = 'api-key';

/** How long a session that has ended still answers `expired` or `revoked` instead of `invalid`. */
const KEPT_AFTER_END_MS = 24 * 3600 * 1000;

interface SessionRow {
  user_id: string;
  username: string | null;
  tenant: string | null;
  kind: string | null;
  enabled: boolean | null;
  expires_at: Date;
  last_used_at: Date;
  revoked_at: Date | null;
}

/** Turns credentials into principals and keeps login sessions. */
@Injectable()
export class Authentication {
  constructor(
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
    @Inject(READS) private readonly db: Queryable,
  ) {}

  /**
   * The principal of a credential: the static key or a session token.
   *
   * @throws DomainError `invalid`, `expired`, `revoked`
   */
  async principalOf(credential: string): Promise<Authenticated> {
    const { apiKey } = this.config;
    if (apiKey !== null && apiKey !== '' && sameSecret(credential, apiKey)) {
      return { userId: null, username: API_KEY_NAME, tenant: null, superuser: true, admin: true, sessionId: null };
    }
    const sessionId = tokenHash(credential);
    const row = await this.session(sessionId);
    const now = new Date();
    if (row === undefined) throw new DomainError('invalid_session');
    if (row.revoked_at !== null || row.username === null || row.enabled !== true) {
      throw new DomainError('revoked_session');
    }
    if (row.expires_at <= now || this.idleSince(row.last_used_at, now) >= this.config.session.idleSec) {
      throw new DomainError('expired_session');
    }
    await this.touch(sessionId, row.last_used_at, now);
    const superuser = row.tenant === null;
    return {
      userId: row.user_id,
      username: row.username,
      tenant: row.tenant,
      superuser,
      admin: superuser || row.kind === 'admin',
      sessionId,
    };
  }

  /** Opens a session; the token is given out once and not stored. */
  async open(userId: string): Promise<string> {
    const token = newSessionToken();
    const now = new Date();
    await this.db.query('DELETE FROM session WHERE expires_at < $1', [new Date(now.getTime() - KEPT_AFTER_END_MS)]);
    const expires = new Date(now.getTime() + this.config.session.absoluteSec * 1000);
    await this.db.query(
      'INSERT INTO session (id, user_id, created_at, expires_at, last_used_at) VALUES ($1, $2, $3, $4, $3)',
      [tokenHash(token), userId, now, expires],
    );
    return token;
  }

  async revoke(sessionId: string): Promise<void> {
    await this.db.query('UPDATE session SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL', [
      sessionId,
      new Date(),
    ]);
  }

  private async session(id: string): Promise<SessionRow | undefined> {
    const { rows } = await this.db.query<SessionRow>(
      `SELECT s.user_id, s.expires_at, s.last_used_at, s.revoked_at, u.tenant, u.kind, u.enabled, p.username
       FROM session s LEFT JOIN app_user u ON u.id = s.user_id
         LEFT JOIN user_profile p ON p.user_id = u.id AND p.version = u.profile_version
       WHERE s.id = $1`,
      [id],
    );
    return rows[0];
  }

  private idleSince(lastUsed: Date, now: Date): number {
    return (now.getTime() - lastUsed.getTime()) / 1000;
  }

  /** Notes the use, at most ten times within the idle limit: a session is read far more often than that. */
  private async touch(id: string, lastUsed: Date, now: Date): Promise<void> {
    if (this.idleSince(lastUsed, now) < this.config.session.idleSec / 10) return;
    await this.db.query('UPDATE session SET last_used_at = $2 WHERE id = $1', [id, now]);
  }
}

/** Ends all sessions of a user, inside the transaction of what made it necessary. */
export async function revokeSessions(db: Queryable, userId: string): Promise<void> {
  await db.query('UPDATE session SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL', [userId, new Date()]);
}
