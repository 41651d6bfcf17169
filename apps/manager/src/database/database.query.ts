import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

/** Source: reference/api.md, "Databases and pools". */
export interface DatabaseResponse {
  id: string;
  tenant: string;
  name: string;
  kind: string;
  defaultDatabase: string;
  defaultSchema: string;
  readOnly: boolean;
  /** Superusers only: it tells how the server's disk is laid out. */
  dataPath?: string | null;
  createdAt: Date;
}

const DATABASE = `SELECT id, tenant, name, kind, default_database AS "defaultDatabase", default_schema AS "defaultSchema",
  read_only AS "readOnly", created_at AS "createdAt", data_path AS "dataPath" FROM tenant_db`;

/** Reads databases of a tenant that is within the caller's scope. */
@Injectable()
export class DatabaseQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async database(tenant: string, name: string, superuser: boolean): Promise<DatabaseResponse> {
    const { rows } = await this.db.query<DatabaseResponse>(
      `${DATABASE} WHERE tenant = $1 AND lower(name COLLATE "C") = lower($2::text COLLATE "C")`,
      [tenant, name],
    );
    if (rows[0] === undefined) throw new DomainError('not_found');
    return shown(rows[0], superuser);
  }

  async databases(tenant: string, superuser: boolean): Promise<DatabaseResponse[]> {
    const { rows } = await this.db.query<DatabaseResponse>(`${DATABASE} WHERE tenant = $1 ORDER BY name COLLATE "C"`, [
      tenant,
    ]);
    return rows.map((row) => shown(row, superuser));
  }
}

function shown({ dataPath, ...row }: DatabaseResponse, superuser: boolean): DatabaseResponse {
  return superuser ? { ...row, dataPath } : row;
}
