import { type Queryable, SYSTEM_STREAM } from '@gadwall/events';
import { DomainError, type Profile, PROFILE_LIMIT, type SystemState, type TenantState } from '@gadwall/rbac';
import type { PolicyVersions } from './mutated';

/** The statement that reads a tenant's slice: one statement, so one snapshot. $1 tenant, $2 ids of users. */
const TENANT_STATE = `SELECT json_build_object(
  'tenant', (SELECT id FROM tenant WHERE id = $1),
  'databases', (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'kind', kind,
      'defaultDatabase', default_database, 'defaultSchema', default_schema, 'dataPath', data_path,
      'setupVersion', setup_version)), '[]') FROM tenant_db WHERE tenant = $1),
  'pools', (SELECT coalesce(json_agg(json_build_object('id', id, 'databaseId', tenant_db_id, 'name', name,
      'size', size, 'disabled', disabled, 'stopped', stopped)), '[]') FROM pool WHERE tenant = $1),
  'roles', (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'builtin', builtin)), '[]')
      FROM role WHERE tenant = $1),
  'groups', (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'builtin', builtin)), '[]')
      FROM app_group WHERE tenant = $1),
  'permissions', (SELECT coalesce(json_agg(json_build_object('id', id, 'roleId', role_id, 'effect', effect,
      'catalog', catalog_name, 'schema', schema_name, 'table', table_name, 'verb', verb)), '[]')
      FROM role_permission WHERE tenant = $1),
  'groupRoles', (SELECT coalesce(json_agg(json_build_object('groupId', group_id, 'roleId', role_id)), '[]')
      FROM group_role WHERE tenant = $1),
  'poolPermissions', (SELECT coalesce(json_agg(json_build_object('id', id, 'poolId', pool_id, 'userId', user_id,
      'groupId', group_id)), '[]')
      FROM pool_permission WHERE tenant = $1 AND (group_id IS NOT NULL OR user_id = ANY($2::uuid[]))),
  'users', (SELECT coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'enabled', enabled,
      'mustChangePassword', must_change_password, 'profileVersion', profile_version,
      'credentialVersion', coalesce(credential_version, 0))), '[]')
      FROM app_user WHERE tenant = $1 AND id = ANY($2::uuid[])),
  'userRoles', (SELECT coalesce(json_agg(json_build_object('userId', user_id, 'roleId', role_id)), '[]')
      FROM user_role WHERE tenant = $1 AND user_id = ANY($2::uuid[])),
  'userGroups', (SELECT coalesce(json_agg(json_build_object('userId', user_id, 'groupId', group_id)), '[]')
      FROM user_group WHERE tenant = $1 AND user_id = ANY($2::uuid[]))
) AS state`;

interface SnapshotRow {
  state: TenantState;
  disabled: boolean;
  tenant_version: string;
  system_version: string;
}

/** A tenant's state with the versions of its stream and of `$system` that it is of. */
export interface TenantSnapshot {
  state: TenantState;
  disabled: boolean;
  versions: PolicyVersions;
}

/**
 * A tenant's graph and the edges of the named users, with the versions they are of: all in one statement, so all of one
 * snapshot.
 *
 * @throws DomainError `not_found`: there is no such tenant
 */
export async function loadTenant(db: Queryable, tenant: string, userIds: string[]): Promise<TenantSnapshot> {
  const { rows } = await db.query<SnapshotRow>(
    `${TENANT_STATE}, (SELECT disabled FROM tenant WHERE id = $1) AS disabled, coalesce((SELECT version FROM stream WHERE tenant = $1), 0) AS tenant_version,
       (SELECT version FROM stream WHERE tenant = '${SYSTEM_STREAM}') AS system_version`,
    [tenant, userIds],
  );
  const [row] = rows;
  if (row === undefined || (row.state.tenant as string | null) === null) throw new DomainError('not_found');
  return {
    state: row.state,
    disabled: row.disabled,
    versions: { tenant: Number(row.tenant_version), system: Number(row.system_version) },
  };
}

/**
 * The distinct profiles of a tenant's users, or null when there are more than the guard compares: a walk over the index
 * on membership keys from one key to the next, so its cost grows with the profiles and not with the users.
 */
export async function loadProfiles(db: Queryable, tenant: string): Promise<Profile[] | null> {
  const { rows } = await db.query<Profile>(
    `WITH RECURSIVE holder AS (
       (SELECT membership_key, id FROM app_user WHERE tenant = $1 ORDER BY membership_key, id LIMIT 1)
       UNION ALL
       SELECT next.membership_key, next.id FROM holder, LATERAL (
         SELECT membership_key, id FROM app_user
         WHERE tenant = $1 AND membership_key > holder.membership_key ORDER BY membership_key, id LIMIT 1) AS next
     )
     SELECT ARRAY(SELECT role_id::text FROM user_role WHERE tenant = $1 AND user_id = holder.id) AS roles,
            ARRAY(SELECT group_id::text FROM user_group WHERE tenant = $1 AND user_id = holder.id) AS groups,
            ARRAY(SELECT pool_id::text FROM pool_permission WHERE tenant = $1 AND user_id = holder.id) AS pools
     FROM holder LIMIT $2`,
    [tenant, PROFILE_LIMIT + 1],
  );
  return rows.length > PROFILE_LIMIT ? null : rows;
}

/** All tenants and superusers. */
export async function loadSystemState(db: Queryable): Promise<SystemState> {
  const { rows } = await db.query<{ state: SystemState }>(`SELECT json_build_object(
    'tenants', (SELECT coalesce(json_agg(json_build_object('id', id, 'disabled', disabled,
        'pools', (SELECT count(*) FROM pool WHERE pool.tenant = tenant.id))), '[]') FROM tenant),
    'superusers', (SELECT coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'enabled', enabled,
        'mustChangePassword', must_change_password, 'profileVersion', profile_version,
        'credentialVersion', coalesce(credential_version, 0))), '[]') FROM app_user WHERE tenant IS NULL)
  ) AS state`);
  const [row] = rows;
  if (row === undefined) throw new Error('a SELECT without FROM gave no row');
  return row.state;
}
