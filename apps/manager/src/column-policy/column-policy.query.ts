import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

/** Source: qod-api.md 1.3. `transformSql` as its author wrote it; absent for a denial. */
export interface ColumnPolicyResponse {
  id: string;
  roleId: string;
  catalogName: string;
  schemaName: string;
  tableName: string;
  columnName: string;
  action: string;
  transformSql?: string;
}

type Row = Omit<ColumnPolicyResponse, 'transformSql'> & { transformSql: string | null };

const POLICY = `SELECT id, role_id AS "roleId", catalog_name AS "catalogName", schema_name AS "schemaName",
  table_name AS "tableName", column_name AS "columnName", action, transform_sql AS "transformSql" FROM role_column_policy`;

const responseOf = ({ transformSql, ...policy }: Row): ColumnPolicyResponse =>
  transformSql === null ? policy : { ...policy, transformSql };

/** Reads column policies of a tenant that is within the caller's scope. */
@Injectable()
export class ColumnPolicyQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async policy(tenant: string, id: string): Promise<ColumnPolicyResponse> {
    const { rows } = await this.db.query<Row>(`${POLICY} WHERE tenant = $1 AND id = $2`, [tenant, id]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return responseOf(rows[0]);
  }

  async policies(tenant: string, roleId: string): Promise<ColumnPolicyResponse[]> {
    const { rows } = await this.db.query<Row>(`${POLICY} WHERE tenant = $1 AND role_id = $2 ORDER BY created_at, id`, [
      tenant,
      roleId,
    ]);
    return rows.map(responseOf);
  }
}
