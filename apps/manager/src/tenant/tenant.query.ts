import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { READS } from '../postgres';

/** Source: qod-api.md 1.4. */
export interface TenantResponse {
  id: string;
  name: string;
  displayName: string;
  authProvider: string;
  disabled: boolean;
  interruptOnRevoke: boolean;
  aclMode: string;
  policyVersion: number;
  createdAt: Date;
}

const TENANT = `SELECT id, id AS name, display_name AS "displayName", auth_provider AS "authProvider", disabled,
  interrupt_on_revoke AS "interruptOnRevoke",
  acl_mode AS "aclMode", policy_version::float8 AS "policyVersion", created_at AS "createdAt" FROM tenant`;

/** Reads tenants. */
@Injectable()
export class TenantQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async tenant(id: string): Promise<TenantResponse> {
    const { rows } = await this.db.query<TenantResponse>(`${TENANT} WHERE id = $1`, [id]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  /** @param only the one tenant that the caller may see; null = all */
  async tenants(only: string | null): Promise<TenantResponse[]> {
    const { rows } = await this.db.query<TenantResponse>(
      `${TENANT} WHERE $1::text IS NULL OR id = $1 ORDER BY id COLLATE "C"`,
      [only],
    );
    return rows;
  }
}
