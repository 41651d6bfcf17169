import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

/** Source: qod-api.md 1.3. `predicateSql` as its author wrote it. */
export interface RowPolicyResponse {
  id: string;
  roleId: string;
  catalogName: string;
  schemaName: string;
  tableName: string;
  predicateSql: string;
}

const POLICY = `SELECT id, role_id AS "roleId", catalog_name AS "catalogName", schema_name AS "schemaName",
  table_name AS "tableName", predicate_sql AS "predicateSql" FROM role_row_policy`;

/** Reads row policies of a tenant that is within the caller's scope. */
@Injectable()
export class RowPolicyQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async policy(tenant: string, id: string): Promise<RowPolicyResponse> {
    const { rows } = await this.db.query<RowPolicyResponse>(`${POLICY} WHERE tenant = $1 AND id = $2`, [tenant, id]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  async policies(tenant: string, roleId: string): Promise<RowPolicyResponse[]> {
    const { rows } = await this.db.query<RowPolicyResponse>(
      `${POLICY} WHERE tenant = $1 AND role_id = $2 ORDER BY created_at, id`,
      [tenant, roleId],
    );
    return rows;
  }
}
