import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError, type SourceType } from '@gadwall/rbac';
import { READS } from '../postgres';

export interface FederatedSourceResponse {
  id: string;
  tenant: string;
  tenantDb: string;
  alias: string;
  sourceType: SourceType;
  readOnly: true;
  description: string | null;
  createdAt: Date;
  /** For superusers only. */
  config?: { path: string };
}

type Row = Omit<FederatedSourceResponse, 'readOnly' | 'config'> & { path: string };

const SOURCE = `SELECT s.id, s.tenant, d.name AS "tenantDb", s.alias, s.type AS "sourceType", s.path, s.description,
    s.created_at AS "createdAt"
  FROM tenant_db d JOIN federated_source s ON s.tenant_db_id = d.id
  WHERE d.tenant = $1 AND lower(d.name COLLATE "C") = lower($2 COLLATE "C")`;

/** Reads the federated sources of a database of a tenant that is within the caller's scope. */
@Injectable()
export class FederatedSourceQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  /** @throws DomainError `not_found`: there is no such database */
  async sources(tenant: string, database: string, superuser: boolean): Promise<FederatedSourceResponse[]> {
    const { rowCount } = await this.db.query(
      'SELECT 1 FROM tenant_db WHERE tenant = $1 AND lower(name COLLATE "C") = lower($2 COLLATE "C")',
      [tenant, database],
    );
    if (rowCount === 0) throw new DomainError('not_found');
    const { rows } = await this.db.query<Row>(`${SOURCE} ORDER BY s.alias COLLATE "C"`, [tenant, database]);
    return rows.map((row) => responseOf(row, superuser));
  }

  /** @throws DomainError `not_found` */
  async source(tenant: string, database: string, alias: string, superuser: boolean): Promise<FederatedSourceResponse> {
    const { rows } = await this.db.query<Row>(`${SOURCE} AND lower(s.alias COLLATE "C") = lower($3 COLLATE "C")`, [
      tenant,
      database,
      alias,
    ]);
    const [row] = rows;
    if (row === undefined) throw new DomainError('not_found');
    return responseOf(row, superuser);
  }
}

function responseOf({ path, ...row }: Row, superuser: boolean): FederatedSourceResponse {
  return { ...row, readOnly: true, ...(superuser ? { config: { path } } : {}) };
}
