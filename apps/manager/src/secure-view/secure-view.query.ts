import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import type { SecureView } from '@gadwall/rbac';
import { READS } from '../postgres';

export interface SecureViewResponse extends SecureView {
  id: string;
  tenant: string;
}

/** Reads the secure views of a tenant that is within the caller's scope. */
@Injectable()
export class SecureViewQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async views(tenant: string): Promise<SecureViewResponse[]> {
    const { rows } = await this.db.query<SecureViewResponse>(
      `SELECT id, tenant, catalog_name AS catalog, schema_name AS schema, view_name AS name, body,
         column_names AS columns, bases
       FROM secure_view WHERE tenant = $1
       ORDER BY catalog_name COLLATE "C", schema_name COLLATE "C", view_name COLLATE "C", id`,
      [tenant],
    );
    return rows;
  }
}
