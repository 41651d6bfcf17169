import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import type { Authenticated } from '../auth';
import { type Admission, Gate } from '../effective-set';
import { READS } from '../postgres';

/** Those whose statements are on a node: there they are ids. */
@Injectable()
export class Principals {
  constructor(
    @Inject(READS) private readonly db: Queryable,
    private readonly gate: Gate,
  ) {}

  /** Gate 1 again. @throws as `Gate.admit`; DomainError `revoked_session` when the account is gone */
  async admit(userId: string, tenant: string, poolId: string): Promise<Admission> {
    const principal = await this.principal(userId);
    const pool = (await this.gate.bindings(tenant)).find((binding) => binding.poolId === poolId)?.pool ?? '';
    return this.gate.admit(principal, tenant, pool);
  }

  private async principal(userId: string): Promise<Authenticated> {
    const nobody = { admin: false, sessionId: null };
    if (userId === 'api-key') return { ...nobody, userId: null, username: userId, tenant: null, superuser: true };
    const { rows } = await this.db.query<{ username: string; tenant: string | null }>(
      `SELECT p.username, u.tenant FROM app_user u
       JOIN user_profile p ON p.user_id = u.id AND p.version = u.profile_version WHERE u.id = $1`,
      [userId],
    );
    const [row] = rows;
    if (!row) throw new DomainError('revoked_session');
    return { ...nobody, ...row, userId, superuser: row.tenant === null };
  }
}
