import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import type { PolicyVersions } from '@gadwall/rbac';
import { type Account, type AccountsNeeded, accountsOf, type AdminStatement, type Directory } from '@gadwall/sqladmin';
import { loadTenant } from '../mutation';
import { READS } from '../postgres';

const ACCOUNT = `SELECT u.id, p.username, u.kind, u.enabled, p.email
  FROM app_user u JOIN user_profile p ON p.user_id = u.id AND p.version = u.profile_version WHERE u.tenant = $1`;

/** Finds what the names of statements stand for. */
@Injectable()
export class DirectoryQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  /** For a statement that only shows, with the versions that it is of. */
  async read(tenant: string, statement: AdminStatement): Promise<{ directory: Directory; versions: PolicyVersions }> {
    const { directory, versions } = await loadDirectory(this.db, tenant, statement);
    const described = statement.type === 'show-roles' || statement.type === 'show-groups';
    return {
      directory: described ? { ...directory, descriptions: await this.descriptions(tenant) } : directory,
      versions,
    };
  }

  private async descriptions(tenant: string): Promise<Map<string, string>> {
    const { rows } = await this.db.query<{ id: string; description: string }>(
      `SELECT id, description FROM role WHERE tenant = $1 AND description IS NOT NULL
       UNION ALL SELECT id, description FROM app_group WHERE tenant = $1 AND description IS NOT NULL`,
      [tenant],
    );
    return new Map(rows.map(({ id, description }) => [id, description]));
  }
}

/**
 * What the names of a statement stand for, as the tables have it now: inside a mutation, under its lock.
 *
 * @throws DomainError `not_found`: there is no such tenant
 */
export async function loadDirectory(
  db: Queryable,
  tenant: string,
  statement: AdminStatement,
): Promise<{ directory: Directory; versions: PolicyVersions }> {
  const needed = accountsOf(statement);
  const accounts = await loadAccounts(db, tenant, needed);
  // A list of all accounts asks for the edges of none.
  const ids = needed === 'all' ? [] : accounts.map(({ id }) => id);
  const { state, versions } = await loadTenant(db, tenant, ids);
  return { directory: { state, accounts }, versions };
}

async function loadAccounts(db: Queryable, tenant: string, needed: AccountsNeeded): Promise<Account[]> {
  if (needed === 'all') return (await db.query<Account>(ACCOUNT, [tenant])).rows;
  if (needed === 'holders of pools') {
    const holding = 'EXISTS (SELECT 1 FROM pool_permission e WHERE e.tenant = u.tenant AND e.user_id = u.id)';
    return (await db.query<Account>(`${ACCOUNT} AND ${holding}`, [tenant])).rows;
  }
  if (needed.named.length === 0) return [];
  const named = 'p.current AND p.tenant = u.tenant AND p.username = ANY($2)';
  return (await db.query<Account>(`${ACCOUNT} AND ${named}`, [tenant, needed.named])).rows;
}
