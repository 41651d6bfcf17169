import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

/** Source: qod-api.md 1.3. */
export interface GroupResponse {
  id: string;
  tenantId: string;
  name: string;
  description: string | null;
  createdAt: Date;
  builtin: boolean;
}

const GROUP = `SELECT id, tenant AS "tenantId", name, description, created_at AS "createdAt", builtin FROM app_group`;

/** Reads groups of a tenant that is within the caller's scope. */
@Injectable()
export class GroupQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async group(tenant: string, id: string): Promise<GroupResponse> {
    const { rows } = await this.db.query<GroupResponse>(`${GROUP} WHERE tenant = $1 AND id = $2`, [tenant, id]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  async groups(tenant: string): Promise<GroupResponse[]> {
    const { rows } = await this.db.query<GroupResponse>(`${GROUP} WHERE tenant = $1 ORDER BY name COLLATE "C"`, [
      tenant,
    ]);
    return rows;
  }
}
