import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

export interface MacroResponse {
  id: string;
  tenant: string;
  catalog: string;
  schema: string;
  name: string;
}

const MACRO = `SELECT id, tenant, catalog_name AS catalog, schema_name AS schema, macro_name AS name FROM admitted_macro`;

/** Reads the admitted macros of a tenant that is within the caller's scope. */
@Injectable()
export class MacroQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async macro(tenant: string, id: string): Promise<MacroResponse> {
    const { rows } = await this.db.query<MacroResponse>(`${MACRO} WHERE tenant = $1 AND id = $2`, [tenant, id]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  async macros(tenant: string): Promise<MacroResponse[]> {
    const { rows } = await this.db.query<MacroResponse>(
      `${MACRO} WHERE tenant = $1
       ORDER BY catalog_name COLLATE "C", schema_name COLLATE "C", macro_name COLLATE "C", id`,
      [tenant],
    );
    return rows;
  }
}
