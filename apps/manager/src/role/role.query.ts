import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

/** Source: qod-api.md 1.3. */
export interface RoleResponse {
  id: string;
  tenantId: string;
  name: string;
  description: string | null;
  createdAt: Date;
  builtin: boolean;
}

export interface PermissionResponse {
  id: string;
  roleId: string;
  catalogName: string;
  schemaName: string;
  tableName: string;
  verb: string;
  grantedAt: Date;
}

const ROLE = `SELECT id, tenant AS "tenantId", name, description, created_at AS "createdAt", builtin FROM role`;
const PERMISSION = `SELECT id, role_id AS "roleId", catalog_name AS "catalogName", schema_name AS "schemaName",
  table_name AS "tableName", verb, granted_at AS "grantedAt" FROM role_permission`;

/** Reads roles and their permissions of a tenant that is within the caller's scope. */
@Injectable()
export class RoleQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async role(tenant: string, id: string): Promise<RoleResponse> {
    const { rows } = await this.db.query<RoleResponse>(`${ROLE} WHERE tenant = $1 AND id = $2`, [tenant, id]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  async roles(tenant: string): Promise<RoleResponse[]> {
    const { rows } = await this.db.query<RoleResponse>(`${ROLE} WHERE tenant = $1 ORDER BY name COLLATE "C"`, [tenant]);
    return rows;
  }

  async permission(tenant: string, id: string): Promise<PermissionResponse> {
    const { rows } = await this.db.query<PermissionResponse>(`${PERMISSION} WHERE tenant = $1 AND id = $2`, [
      tenant,
      id,
    ]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  async permissions(tenant: string, roleId: string): Promise<PermissionResponse[]> {
    const { rows } = await this.db.query<PermissionResponse>(
      `${PERMISSION} WHERE tenant = $1 AND role_id = $2 ORDER BY granted_at, id`,
      [tenant, roleId],
    );
    return rows;
  }
}
