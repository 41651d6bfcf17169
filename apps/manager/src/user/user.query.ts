import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError, type ExplainedSet, explainedSet, type MaskConflict, type Via } from '@gadwall/rbac';
import { loadTenant } from '../mutation';
import { READS } from '../postgres';

/** Source: qod-api.md 1.3. */
export interface UserResponse {
  id: string;
  tenant: string | null;
  username: string;
  kind: string;
  enabled: boolean;
  mustChangePassword: boolean;
  email: string | null;
  /** Names of the user's own roles and groups; what comes through groups is in the effective set. */
  roles: string[];
  groups: string[];
  /** The user's own pool grants, as `tenant/pool`, `tenant/*` for every pool. */
  poolGrants: string[];
}

/** The closure of a user with what gave each part. Source: qod-api.md 1.3; DESIGN section 8, "Provenance". */
export interface EffectiveResponse {
  user: UserResponse;
  roles: { id: string; name: string; direct: boolean; groups: string[] }[];
  groups: { id: string; name: string }[];
  pools: { id: string; poolId: string | null; pool: string; via: Via }[];
  tablePerms: {
    id: string;
    roleId: string;
    effect: string;
    catalogName: string;
    schemaName: string;
    tableName: string;
    verb: string;
    via: Via[];
  }[];
  columnPolicies: {
    id: string;
    roleId: string;
    role: string;
    catalogName: string;
    schemaName: string;
    tableName: string;
    columnName: string;
    action: string;
    transformSql: string | null;
    via: Via[];
  }[];
  rowPolicies: {
    id: string;
    roleId: string;
    role: string;
    catalogName: string;
    schemaName: string;
    tableName: string;
    predicateSql: string;
    via: Via[];
  }[];
  /** Where masks of the user's roles contradict each other: the column shows as NULL. Names are folded. */
  conflicts: MaskConflict[];
  policyVersion: { tenant: number; system: number } | null;
}

const NOTHING = {
  roles: [],
  groups: [],
  pools: [],
  tablePerms: [],
  columnPolicies: [],
  rowPolicies: [],
  conflicts: [],
};

const USER = `SELECT u.id, u.tenant, p.username, u.kind, u.enabled, u.must_change_password AS "mustChangePassword", p.email,
    ARRAY(SELECT r.name FROM user_role e JOIN role r ON r.tenant = e.tenant AND r.id = e.role_id
          WHERE e.tenant = u.tenant AND e.user_id = u.id ORDER BY r.name COLLATE "C") AS roles,
    ARRAY(SELECT g.name FROM user_group e JOIN app_group g ON g.tenant = e.tenant AND g.id = e.group_id
          WHERE e.tenant = u.tenant AND e.user_id = u.id ORDER BY g.name COLLATE "C") AS groups,
    ARRAY(SELECT e.tenant || '/' || coalesce(o.name, '*') FROM pool_permission e LEFT JOIN pool o ON o.id = e.pool_id
          WHERE e.tenant = u.tenant AND e.user_id = u.id ORDER BY 1) AS "poolGrants"
  FROM app_user u JOIN user_profile p ON p.user_id = u.id AND p.version = u.profile_version`;

/** Reads accounts that are within the caller's scope. */
@Injectable()
export class UserQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  /** @param tenant null = a superuser */
  async user(tenant: string | null, id: string): Promise<UserResponse> {
    const { rows } = await this.db.query<UserResponse>(`${USER} WHERE u.tenant IS NOT DISTINCT FROM $1 AND u.id = $2`, [
      tenant,
      id,
    ]);
    if (rows[0] === undefined) throw new DomainError('not_found');
    return rows[0];
  }

  /** @param tenant null = of every tenant, and superusers */
  async users(tenant: string | null): Promise<UserResponse[]> {
    const { rows } = await this.db.query<UserResponse>(
      `${USER} WHERE $1::text IS NULL OR u.tenant = $1 ORDER BY u.tenant COLLATE "C" NULLS FIRST, p.username COLLATE "C"`,
      [tenant],
    );
    return rows;
  }

  /** The effective set of a user, with its provenance; that of a superuser is empty, for no grant is asked. */
  async effective(tenant: string | null, id: string): Promise<EffectiveResponse> {
    const user = await this.user(tenant, id);
    if (tenant === null) return { user, ...NOTHING, policyVersion: null };
    const { state, versions } = await loadTenant(this.db, tenant, [id]);
    const { roles, groups, pools, permissions, columnPolicies, rowPolicies, conflicts } = explainedSet(state, id);
    const placed = <P extends ExplainedSet['rowPolicies'][number] | ExplainedSet['columnPolicies'][number]>(
      row: P,
    ) => ({
      id: row.id,
      roleId: row.roleId,
      role: roles.find(({ id: roleId }) => roleId === row.roleId)?.name ?? '',
      catalogName: row.catalog,
      schemaName: row.schema,
      tableName: row.table,
      via: row.via,
    });
    return {
      user,
      roles,
      groups,
      pools: pools.map(({ grantId, poolId, pool, via }) => ({ id: grantId, poolId, pool: pool ?? '*', via })),
      tablePerms: permissions.map((row) => ({
        id: row.id,
        roleId: row.roleId,
        effect: row.effect,
        catalogName: row.catalog,
        schemaName: row.schema,
        tableName: row.table,
        verb: row.verb,
        via: row.via,
      })),
      columnPolicies: columnPolicies.map((row) => ({
        ...placed(row),
        columnName: row.column,
        action: row.action,
        transformSql: row.transformSql,
      })),
      rowPolicies: rowPolicies.map((row) => ({ ...placed(row), predicateSql: row.predicateSql })),
      conflicts,
      policyVersion: versions,
    };
  }
}
