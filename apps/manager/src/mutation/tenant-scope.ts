import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import type { Authenticated, Caller } from '../auth';
import { READS } from '../postgres';

/** Things of a tenant that requests name by a bare id. */
export type Located =
  | 'role'
  | 'app_group'
  | 'app_user'
  | 'role_permission'
  | 'role_column_policy'
  | 'role_row_policy'
  | 'pool_permission'
  | 'pool';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The one place that decides which tenant a request may touch. Naming a foreign tenant is forbidden; a foreign thing by
 * its bare id is not there, as if it did not exist (DESIGN section 3, point 11).
 */
@Injectable()
export class TenantScope {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  /**
   * The tenant that a request names, for a caller who may touch it.
   *
   * @throws DomainError `tenant_forbidden`; `not_found` for a superuser who names one that is not there
   */
  async named({ principal }: Caller, tenant: string): Promise<string> {
    refuseForeign(principal, tenant);
    const { rowCount } = await this.db.query('SELECT 1 FROM tenant WHERE id = $1', [tenant]);
    if (rowCount === 0) throw new DomainError('not_found');
    return tenant;
  }

  /**
   * The tenant of a thing named by its id; null for a superuser's account.
   *
   * @throws DomainError `not_found`, for an id of another tenant too
   */
  async locate({ principal }: Caller, table: Located, id: string): Promise<string | null> {
    if (!UUID.test(id)) throw new DomainError('not_found');
    const { rows } = await this.db.query<{ tenant: string | null }>(
      `SELECT tenant FROM ${table} WHERE id = $1 AND ($2::text IS NULL OR tenant = $2)`,
      [id, principal.tenant],
    );
    const [row] = rows;
    if (row === undefined) throw new DomainError('not_found');
    return row.tenant;
  }

  /** As {@link locate}, for things that always are a tenant's. */
  async locateInTenant(caller: Caller, table: Located, id: string): Promise<string> {
    const tenant = await this.locate(caller, table, id);
    if (tenant === null) throw new DomainError('not_found');
    return tenant;
  }

  /** The one tenant of both ends of an edge. */
  async ofEdge(caller: Caller, ends: readonly (readonly [Located, string])[]): Promise<string> {
    const tenants = new Set<string | null>();
    for (const [table, id] of ends) tenants.add(await this.locate(caller, table, id));
    const [tenant] = tenants;
    if (tenants.size !== 1 || tenant === null || tenant === undefined) throw new DomainError('invalid_membership');
    return tenant;
  }
}

/** Refuses a tenant that is not the caller's, whether it exists or not. */
export function refuseForeign(principal: Authenticated, tenant: string): void {
  if (!principal.superuser && principal.tenant !== tenant) throw new DomainError('tenant_forbidden');
}
