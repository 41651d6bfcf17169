import { type Queryable, SYSTEM_STREAM } from '@gadwall/events';
import { DomainError, type Profile, PROFILE_LIMIT, type SystemState, type TenantState } from '@gadwall/rbac';
import type { PolicyVersions } from './mutated';

/** A tenant's graph without its users: bounded by what administrators made, however many users there are. */
export type TenantGraph = Omit<TenantState, 'users' | 'userRoles' | 'userGroups'>;

/** The edges and own pool grants of some users. */
type UserEdges = Pick<TenantState, 'users' | 'userRoles' | 'userGroups' | 'poolPermissions'>;

/** A list of JSON objects, empty where there are no rows. */
const list = (columns: string, from: string): string =>
  `(SELECT coalesce(json_agg(json_build_object(${columns})), '[]') FROM ${from})`;

const POOL_PERMISSION = `'id', id, 'poolId', pool_id, 'userId', user_id, 'groupId', group_id`;

/** $1 tenant. */
const GRAPH = `json_build_object(
  'tenant', (SELECT id FROM tenant WHERE id = $1),
  'databases', ${list(
    `'id', id, 'name', name, 'kind', kind, 'defaultDatabase', default_database, 'defaultSchema', default_schema,
     'dataPath', data_path, 'setupVersion', setup_version`,
    'tenant_db WHERE tenant = $1',
  )},
  'pools', ${list(
    `'id', id, 'databaseId', tenant_db_id, 'name', name, 'size', size, 'disabled', disabled, 'stopped', stopped`,
    'pool WHERE tenant = $1',
  )},
  'roles', ${list(`'id', id, 'name', name, 'builtin', builtin`, 'role WHERE tenant = $1')},
  'groups', ${list(`'id', id, 'name', name, 'builtin', builtin`, 'app_group WHERE tenant = $1')},
  'permissions', ${list(
    `'id', id, 'roleId', role_id, 'effect', effect, 'catalog', catalog_name, 'schema', schema_name,
     'table', table_name, 'verb', verb`,
    'role_permission WHERE tenant = $1',
  )},
  'columnPolicies', ${list(
    `'id', id, 'roleId', role_id, 'catalog', catalog_name, 'schema', schema_name, 'table', table_name,
     'column', column_name, 'action', action, 'transformSql', transform_sql, 'canonical', canonical_sql`,
    'role_column_policy WHERE tenant = $1',
  )},
  'rowPolicies', ${list(
    `'id', id, 'roleId', role_id, 'catalog', catalog_name, 'schema', schema_name, 'table', table_name,
     'predicateSql', predicate_sql, 'canonical', canonical_sql`,
    'role_row_policy WHERE tenant = $1',
  )},
  'groupRoles', ${list(`'groupId', group_id, 'roleId', role_id`, 'group_role WHERE tenant = $1')},
  'poolPermissions', ${list(POOL_PERMISSION, 'pool_permission WHERE tenant = $1 AND group_id IS NOT NULL')},
  'macros', ${list(
    `'id', id, 'catalog', catalog_name, 'schema', schema_name, 'name', macro_name`,
    'admitted_macro WHERE tenant = $1',
  )},
  'secureViews', ${list(
    `'id', id, 'catalog', catalog_name, 'schema', schema_name, 'name', view_name, 'body', body,
     'columns', column_names, 'bases', bases`,
    'secure_view WHERE tenant = $1',
  )},
  'sources', ${list(`'id', id, 'databaseId', tenant_db_id, 'alias', alias`, 'federated_source WHERE tenant = $1')})`;

/** $1 tenant, $2 ids of users. */
const EDGES = `json_build_object(
  'users', ${list(
    `'id', id, 'kind', kind, 'enabled', enabled, 'mustChangePassword', must_change_password,
     'profileVersion', profile_version, 'credentialVersion', coalesce(credential_version, 0)`,
    'app_user WHERE tenant = $1 AND id = ANY($2::uuid[])',
  )},
  'userRoles', ${list(
    `'userId', user_id, 'roleId', role_id`,
    'user_role WHERE tenant = $1 AND user_id = ANY($2::uuid[])',
  )},
  'userGroups', ${list(
    `'userId', user_id, 'groupId', group_id`,
    'user_group WHERE tenant = $1 AND user_id = ANY($2::uuid[])',
  )},
  'poolPermissions', ${list(POOL_PERMISSION, 'pool_permission WHERE tenant = $1 AND user_id = ANY($2::uuid[])')})`;

/** One statement, so one snapshot; the graph is left out where the caller has it at this version ($3). */
const SNAPSHOT = `SELECT t.disabled, s.version AS tenant_version, y.version AS system_version, ${EDGES} AS edges,
    CASE WHEN s.version = $3 THEN NULL ELSE ${GRAPH} END AS graph
  FROM tenant t JOIN stream s ON s.tenant = t.id JOIN stream y ON y.tenant = '${SYSTEM_STREAM}' WHERE t.id = $1`;

interface SnapshotRow {
  disabled: boolean;
  tenant_version: string;
  system_version: string;
  edges: UserEdges;
  graph: TenantGraph | null;
}

/** A tenant's state with the versions of its stream and of `$system` that it is of. */
export interface TenantSnapshot {
  state: TenantState;
  /** The part of it that does not depend on the users asked for. */
  graph: TenantGraph;
  disabled: boolean;
  versions: PolicyVersions;
}

/**
 * A tenant's graph and the edges of the named users, with the versions they are of, all of one snapshot.
 *
 * @param known the graph at a version, if the caller has one: it is not read again while it is current
 * @throws DomainError `not_found`: there is no such tenant
 */
export async function loadTenant(
  db: Queryable,
  tenant: string,
  userIds: string[],
  known?: { version: number; graph: TenantGraph },
): Promise<TenantSnapshot> {
  const { rows } = await db.query<SnapshotRow>(SNAPSHOT, [tenant, userIds, known?.version ?? -1]);
  const [row] = rows;
  const graph = row?.graph ?? known?.graph;
  if (row === undefined || graph === undefined) throw new DomainError('not_found');
  const poolPermissions = [...graph.poolPermissions, ...row.edges.poolPermissions];
  return {
    state: { ...graph, ...row.edges, poolPermissions },
    graph,
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
        'interruptOnRevoke', interrupt_on_revoke,
        'pools', (SELECT count(*) FROM pool WHERE pool.tenant = tenant.id))), '[]') FROM tenant),
    'superusers', (SELECT coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'enabled', enabled,
        'mustChangePassword', must_change_password, 'profileVersion', profile_version,
        'credentialVersion', coalesce(credential_version, 0))), '[]') FROM app_user WHERE tenant IS NULL)
  ) AS state`);
  const [row] = rows;
  if (row === undefined) throw new Error('a SELECT without FROM gave no row');
  return row.state;
}
