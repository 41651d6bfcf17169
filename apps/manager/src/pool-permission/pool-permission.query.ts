import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

/** Source: qod-api.md 1.3. */
export interface PoolGrantResponse {
  id: string;
  tenantId: string;
  poolId: string | null;
  userId: string | null;
  groupId: string | null;
  grantedAt: Date;
}

const GRANT = `SELECT id, tenant AS "tenantId", pool_id AS "poolId", user_id AS "userId", group_id AS "groupId",
  granted_at AS "grantedAt" FROM pool_permission`;

/** Reads pool grants of tenants that are within the caller's scope. */
@Injectable()
export class PoolPermissionQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async grant(tenant: string, id: string): Promise<PoolGrantResponse> {
    const { rows } = await this.db.query<PoolGrantResponse>(`${GRANT} WHERE tenant = $1 AND id = $2`, [tenant, id]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  /** @param tenant null = of every tenant */
  async grants(
    tenant: string | null,
    holder: { userId: string | null; groupId: string | null },
  ): Promise<PoolGrantResponse[]> {
    const { rows } = await this.db.query<PoolGrantResponse>(
      `${GRANT} WHERE ($1::text IS NULL OR tenant = $1) AND ($2::text IS NULL OR user_id::text = lower($2))
         AND ($3::text IS NULL OR group_id::text = lower($3)) ORDER BY granted_at, id`,
      [tenant, holder.userId, holder.groupId],
    );
    return rows;
  }
}
