import type { ColumnRule, DatabaseKind, PolicyEvent, RowRule } from './events';
import type { MacroName, SecureView, TablePermission, TableTuple, UserKind } from './model';

/** A tenant's database as decisions see it. */
export interface Database {
  id: string;
  name: string;
  kind: DatabaseKind;
  /** The catalog name on the node. */
  defaultDatabase: string;
  defaultSchema: string;
  dataPath: string | null;
  setupVersion: number | null;
}

/** A tenant's pool as decisions see it. */
export interface Pool {
  id: string;
  databaseId: string;
  name: string;
  size: number;
  disabled: boolean;
  stopped: boolean;
}

/** A role or a group. */
export interface Named {
  id: string;
  name: string;
  builtin: boolean;
}

export interface RolePermission extends TablePermission {
  id: string;
  roleId: string;
}

/** A column policy of a role. */
export interface RoleColumnPolicy extends TableTuple, ColumnRule {
  id: string;
  roleId: string;
  column: string;
}

/** A row policy of a role. */
export interface RoleRowPolicy extends TableTuple, RowRule {
  id: string;
  roleId: string;
}

/** A pool grant to a user or a group; `poolId` null = every pool of the tenant. */
export interface PoolPermission {
  id: string;
  poolId: string | null;
  userId: string | null;
  groupId: string | null;
}

/** A macro that a superuser has admitted, as it was named. */
export interface AdmittedMacro extends MacroName {
  id: string;
}

/** A secure view with its id, as it was named. */
export interface MadeSecureView extends SecureView {
  id: string;
}

/** A federated source of a database. */
export interface FederatedSource {
  id: string;
  databaseId: string;
  /** The catalog name on the node. */
  alias: string;
}

export interface User {
  id: string;
  kind: UserKind;
  enabled: boolean;
  mustChangePassword: boolean;
  profileVersion: number;
  credentialVersion: number;
}

/**
 * The slice of a tenant that decisions and closures need, as flat rows: the bounded graph whole, and of the users, their
 * edges and their own pool grants only those that were asked for.
 */
export interface TenantState {
  tenant: string;
  databases: readonly Database[];
  pools: readonly Pool[];
  roles: readonly Named[];
  groups: readonly Named[];
  permissions: readonly RolePermission[];
  columnPolicies: readonly RoleColumnPolicy[];
  rowPolicies: readonly RoleRowPolicy[];
  groupRoles: readonly { groupId: string; roleId: string }[];
  poolPermissions: readonly PoolPermission[];
  macros: readonly AdmittedMacro[];
  secureViews: readonly MadeSecureView[];
  sources: readonly FederatedSource[];
  users: readonly User[];
  userRoles: readonly { userId: string; roleId: string }[];
  userGroups: readonly { userId: string; groupId: string }[];
}

/** What decisions in `$system` need. */
export interface SystemState {
  tenants: readonly { id: string; disabled: boolean; interruptOnRevoke: boolean; pools: number }[];
  superusers: readonly User[];
}

/** A tenant with nothing in it. */
export function emptyTenant(tenant: string): TenantState {
  return {
    tenant,
    databases: [],
    pools: [],
    roles: [],
    groups: [],
    permissions: [],
    columnPolicies: [],
    rowPolicies: [],
    groupRoles: [],
    poolPermissions: [],
    macros: [],
    secureViews: [],
    sources: [],
    users: [],
    userRoles: [],
    userGroups: [],
  };
}

const without = <T>(rows: readonly T[], gone: (row: T) => boolean): readonly T[] => rows.filter((row) => !gone(row));

const withUser = (state: TenantState, id: string, change: Partial<User>): TenantState => ({
  ...state,
  users: state.users.map((user) => (user.id === id ? { ...user, ...change } : user)),
});

const withPool = (state: TenantState, id: string, change: Partial<Pool>): TenantState => ({
  ...state,
  pools: state.pools.map((pool) => (pool.id === id ? { ...pool, ...change } : pool)),
});

/** The tenant after one more event of its own stream; events of `$system` leave it as it is. */
export function evolve(state: TenantState, event: PolicyEvent): TenantState {
  switch (event.type) {
    case 'role.created':
    case 'role.deleted':
    case 'permission.granted':
    case 'permission.revoked':
      return evolveRole(state, event);
    case 'column-policy.created':
    case 'column-policy.changed':
    case 'column-policy.deleted':
      return { ...state, columnPolicies: evolveColumnPolicies(state.columnPolicies, event) };
    case 'row-policy.created':
    case 'row-policy.changed':
    case 'row-policy.deleted':
      return { ...state, rowPolicies: evolveRowPolicies(state.rowPolicies, event) };
    case 'group.created':
    case 'group.deleted':
    case 'group-role.added':
    case 'group-role.removed':
      return evolveGroup(state, event);
    case 'user.created':
    case 'user.deleted':
    case 'user.kind-changed':
    case 'user.enabled':
    case 'user.disabled':
    case 'user.credential-changed':
    case 'user.profile-changed':
    case 'user-role.added':
    case 'user-role.removed':
    case 'user-group.added':
    case 'user-group.removed':
      return evolveUser(state, event);
    case 'database.created':
    case 'database.updated':
    case 'database.deleted':
      return evolveDatabase(state, event);
    case 'pool.created':
    case 'pool.scaled':
    case 'pool.stopped':
    case 'pool.disabled':
    case 'pool.enabled':
    case 'pool.deleted':
    case 'pool-permission.granted':
    case 'pool-permission.revoked':
      return evolvePool(state, event);
    case 'macro.admitted':
    case 'macro.withdrawn':
      return evolveMacro(state, event);
    case 'secure-view.created':
    case 'secure-view.changed':
    case 'secure-view.dropped':
      return { ...state, secureViews: evolveSecureViews(state.secureViews, event) };
    case 'federated-source.created':
    case 'federated-source.deleted':
      return evolveSource(state, event);
    case 'tenant.created':
    case 'tenant.disabled':
    case 'tenant.enabled':
    case 'tenant.deleted':
    case 'tenant.interrupt-set':
      return state;
  }
}

type Of<Prefix extends string> = Extract<PolicyEvent, { type: `${Prefix}.${string}` }>;

function evolveRole(state: TenantState, { type, data }: Of<'role' | 'permission'>): TenantState {
  switch (type) {
    case 'role.created':
      return { ...state, roles: [...state.roles, { id: data.roleId, name: data.name, builtin: data.builtin }] };
    case 'role.deleted':
      return {
        ...state,
        roles: without(state.roles, (role) => role.id === data.roleId),
        permissions: without(state.permissions, (row) => row.roleId === data.roleId),
        columnPolicies: without(state.columnPolicies, (row) => row.roleId === data.roleId),
        rowPolicies: without(state.rowPolicies, (row) => row.roleId === data.roleId),
        groupRoles: without(state.groupRoles, (row) => row.roleId === data.roleId),
        userRoles: without(state.userRoles, (row) => row.roleId === data.roleId),
      };
    case 'permission.granted': {
      const { permissionId, ...permission } = data;
      return { ...state, permissions: [...state.permissions, { id: permissionId, ...permission }] };
    }
    case 'permission.revoked':
      return { ...state, permissions: without(state.permissions, (row) => row.id === data.permissionId) };
  }
}

function evolveColumnPolicies(
  rows: TenantState['columnPolicies'],
  { type, data }: Of<'column-policy'>,
): TenantState['columnPolicies'] {
  switch (type) {
    case 'column-policy.created': {
      const { policyId: id, ...policy } = data;
      return [...rows, { id, ...policy }];
    }
    case 'column-policy.changed': {
      const { policyId: id, ...change } = data;
      return rows.map((row) => (row.id === id ? { ...row, ...change } : row));
    }
    case 'column-policy.deleted':
      return without(rows, (row) => row.id === data.policyId);
  }
}

function evolveRowPolicies(
  rows: TenantState['rowPolicies'],
  { type, data }: Of<'row-policy'>,
): TenantState['rowPolicies'] {
  switch (type) {
    case 'row-policy.created': {
      const { policyId: id, ...policy } = data;
      return [...rows, { id, ...policy }];
    }
    case 'row-policy.changed': {
      const { policyId: id, ...change } = data;
      return rows.map((row) => (row.id === id ? { ...row, ...change } : row));
    }
    case 'row-policy.deleted':
      return without(rows, (row) => row.id === data.policyId);
  }
}

function evolveGroup(state: TenantState, { type, data }: Of<'group' | 'group-role'>): TenantState {
  switch (type) {
    case 'group.created':
      return { ...state, groups: [...state.groups, { id: data.groupId, name: data.name, builtin: data.builtin }] };
    case 'group.deleted':
      return {
        ...state,
        groups: without(state.groups, (group) => group.id === data.groupId),
        groupRoles: without(state.groupRoles, (row) => row.groupId === data.groupId),
        userGroups: without(state.userGroups, (row) => row.groupId === data.groupId),
        poolPermissions: without(state.poolPermissions, (row) => row.groupId === data.groupId),
      };
    case 'group-role.added':
      return { ...state, groupRoles: [...state.groupRoles, data] };
    case 'group-role.removed':
      return {
        ...state,
        groupRoles: without(state.groupRoles, (row) => row.groupId === data.groupId && row.roleId === data.roleId),
      };
  }
}

function evolveUser(state: TenantState, { type, data }: Of<'user' | 'user-role' | 'user-group'>): TenantState {
  switch (type) {
    case 'user.created': {
      const { userId: id, ...account } = data;
      return { ...state, users: [...state.users, { id, enabled: true, ...account }] };
    }
    case 'user.deleted':
      return {
        ...state,
        users: without(state.users, (user) => user.id === data.userId),
        userRoles: without(state.userRoles, (row) => row.userId === data.userId),
        userGroups: without(state.userGroups, (row) => row.userId === data.userId),
        poolPermissions: without(state.poolPermissions, (row) => row.userId === data.userId),
      };
    case 'user.kind-changed':
      return withUser(state, data.userId, { kind: data.kind });
    case 'user.enabled':
      return withUser(state, data.userId, { enabled: true });
    case 'user.disabled':
      return withUser(state, data.userId, { enabled: false });
    case 'user.credential-changed':
      return withUser(state, data.userId, {
        credentialVersion: data.credentialVersion,
        mustChangePassword: data.mustChangePassword,
      });
    case 'user.profile-changed':
      return withUser(state, data.userId, { profileVersion: data.profileVersion });
    case 'user-role.added':
      return { ...state, userRoles: [...state.userRoles, data] };
    case 'user-role.removed':
      return {
        ...state,
        userRoles: without(state.userRoles, (row) => row.userId === data.userId && row.roleId === data.roleId),
      };
    case 'user-group.added':
      return { ...state, userGroups: [...state.userGroups, data] };
    case 'user-group.removed':
      return {
        ...state,
        userGroups: without(state.userGroups, (row) => row.userId === data.userId && row.groupId === data.groupId),
      };
  }
}

function evolveDatabase(state: TenantState, { type, data }: Of<'database'>): TenantState {
  switch (type) {
    case 'database.created': {
      const { databaseId: id, name, kind, defaultDatabase, defaultSchema, dataPath, setupVersion } = data;
      const database = { id, name, kind, defaultDatabase, defaultSchema, dataPath, setupVersion };
      return { ...state, databases: [...state.databases, database] };
    }
    case 'database.updated':
      return {
        ...state,
        databases: state.databases.map((row) =>
          row.id === data.databaseId
            ? {
                ...row,
                defaultDatabase: data.defaultDatabase,
                defaultSchema: data.defaultSchema,
                setupVersion: data.setupVersion,
              }
            : row,
        ),
      };
    case 'database.deleted':
      return { ...state, databases: without(state.databases, (row) => row.id === data.databaseId) };
  }
}

function evolvePool(state: TenantState, { type, data }: Of<'pool' | 'pool-permission'>): TenantState {
  switch (type) {
    case 'pool.created': {
      const { poolId, databaseId, name, size, disabled } = data;
      return { ...state, pools: [...state.pools, { id: poolId, databaseId, name, size, disabled, stopped: false }] };
    }
    case 'pool.scaled':
      return withPool(state, data.poolId, { size: data.size, stopped: false });
    case 'pool.stopped':
      return withPool(state, data.poolId, { stopped: true });
    case 'pool.disabled':
      return withPool(state, data.poolId, { disabled: true });
    case 'pool.enabled':
      return withPool(state, data.poolId, { disabled: false });
    case 'pool.deleted':
      return {
        ...state,
        pools: without(state.pools, (pool) => pool.id === data.poolId),
        poolPermissions: without(state.poolPermissions, (row) => row.poolId === data.poolId),
      };
    case 'pool-permission.granted': {
      const { grantId, poolId, userId, groupId } = data;
      return { ...state, poolPermissions: [...state.poolPermissions, { id: grantId, poolId, userId, groupId }] };
    }
    case 'pool-permission.revoked':
      return { ...state, poolPermissions: without(state.poolPermissions, (row) => row.id === data.grantId) };
  }
}

function evolveMacro(state: TenantState, { type, data }: Of<'macro'>): TenantState {
  switch (type) {
    case 'macro.admitted': {
      const { macroId, ...macro } = data;
      return { ...state, macros: [...state.macros, { id: macroId, ...macro }] };
    }
    case 'macro.withdrawn':
      return { ...state, macros: without(state.macros, (row) => row.id === data.macroId) };
  }
}

function evolveSecureViews(
  views: readonly MadeSecureView[],
  { type, data }: Of<'secure-view'>,
): readonly MadeSecureView[] {
  switch (type) {
    case 'secure-view.created': {
      const { viewId: id, ...view } = data;
      return [...views, { id, ...view }];
    }
    case 'secure-view.changed': {
      const { viewId, ...changed } = data;
      return views.map((view) => (view.id === viewId ? { ...view, ...changed } : view));
    }
    case 'secure-view.dropped':
      return without(views, (view) => view.id === data.viewId);
  }
}

function evolveSource(state: TenantState, { type, data }: Of<'federated-source'>): TenantState {
  switch (type) {
    case 'federated-source.created': {
      const { sourceId: id, databaseId, alias } = data;
      return { ...state, sources: [...state.sources, { id, databaseId, alias }] };
    }
    case 'federated-source.deleted':
      return { ...state, sources: without(state.sources, (row) => row.id === data.sourceId) };
  }
}
