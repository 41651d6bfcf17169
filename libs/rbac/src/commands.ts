import type { ColumnRule, DatabaseKind, PoolLimits, RowRule, SourceType } from './events';
import type { Effect, SecureView, TableTuple, UserKind } from './model';

/** What can be asked of a tenant. Ids of what is made come from the caller, so that deciding stays a function. */
export type PolicyCommand =
  | RoleCommand
  | ColumnPolicyCommand
  | RowPolicyCommand
  | GroupCommand
  | MembershipCommand
  | PoolPermissionCommand
  | UserCommand
  | DatabaseCommand
  | PoolCommand
  | MacroCommand
  | SecureViewCommand
  | SourceCommand;

export type RoleCommand =
  | { type: 'create-role'; roleId: string; name: string; description: string | null }
  | { type: 'delete-role'; roleId: string }
  | {
      type: 'grant-permission';
      permissionId: string;
      roleId: string;
      effect: Effect;
      catalog: string;
      schema: string;
      table: string;
      verb: string;
    }
  | { type: 'revoke-permission'; permissionId: string };

/**
 * Expressions were checked and bound by whoever makes the command, and `canonical` is what came of it. Creating what is
 * there under the tuple, the column and the role replaces it (seed 000, "Column-level policies": unique, updates in place).
 */
export type ColumnPolicyCommand =
  | ({ type: 'create-column-policy'; policyId: string; roleId: string; column: string } & TableTuple & ColumnRule)
  | ({ type: 'update-column-policy'; policyId: string } & ColumnRule)
  | { type: 'delete-column-policy'; policyId: string };

/** Likewise, without a column. */
export type RowPolicyCommand =
  | ({ type: 'create-row-policy'; policyId: string; roleId: string } & TableTuple & RowRule)
  | ({ type: 'update-row-policy'; policyId: string } & RowRule)
  | { type: 'delete-row-policy'; policyId: string };

export type GroupCommand =
  | { type: 'create-group'; groupId: string; name: string; description: string | null }
  | { type: 'delete-group'; groupId: string };

export type MembershipCommand =
  | { type: 'add-user-role' | 'remove-user-role'; userId: string; roleId: string }
  | { type: 'add-user-group' | 'remove-user-group'; userId: string; groupId: string }
  | { type: 'add-group-role' | 'remove-group-role'; groupId: string; roleId: string };

export type PoolPermissionCommand =
  | {
      type: 'grant-pool';
      grantId: string;
      poolId: string | null;
      userId: string | null;
      groupId: string | null;
    }
  | { type: 'revoke-pool'; grantId: string };

/** `roles` and `groups` are names; null = not given. */
export interface Memberships {
  roles: readonly string[] | null;
  groups: readonly string[] | null;
}

export type UserCommand =
  | ({ type: 'create-user'; userId: string; kind: UserKind; mustChangePassword: boolean } & Memberships)
  /** A create for a username that exists: it only attaches what is named (seed 000, "Memberships at user creation"). */
  | ({ type: 'recreate-user'; userId: string } & Memberships)
  | ({ type: 'update-user'; userId: string } & AccountChange)
  | { type: 'delete-user'; userId: string };

/** What an update of an account changes; what is absent stays. */
export interface AccountChange {
  kind?: UserKind;
  enabled?: boolean;
  mustChangePassword?: boolean;
  /** A new password is stored beside. */
  password: boolean;
  /** A new e-mail address is stored beside. */
  email: boolean;
}

export type DatabaseCommand =
  | {
      type: 'create-database';
      databaseId: string;
      name: string;
      kind: DatabaseKind;
      defaultDatabase: string | null;
      defaultSchema: string | null;
      dataPath: string | null;
      readOnly: boolean;
      /** An init script or connection settings are stored beside. */
      setup: boolean;
    }
  | {
      type: 'update-database';
      name: string;
      defaultDatabase: string | null;
      defaultSchema: string | null;
      setup: boolean;
    }
  | { type: 'delete-database'; name: string };

/** How a pool is named on the wire: its database and its name. */
export interface PoolName {
  database: string;
  pool: string;
}

export type PoolCommand =
  | ({ type: 'create-pool'; poolId: string; size: number; disabled: boolean; setup: boolean } & PoolName & PoolLimits)
  | ({ type: 'scale-pool'; size: number } & PoolName)
  | ({ type: 'stop-pool' } & PoolName)
  | ({ type: 'switch-pool'; disabled: boolean } & PoolName)
  | ({ type: 'delete-pool' } & PoolName);

/** For superusers alone. */
export type MacroCommand =
  | { type: 'admit-macro'; macroId: string; catalog: string; schema: string; name: string }
  | { type: 'withdraw-macro'; macroId: string };

/**
 * For superusers alone. A node has made the view and says what it stands for; creating what is there under the name changes
 * it.
 */
export type SecureViewCommand =
  ({ type: 'create-secure-view'; viewId: string } & SecureView) | { type: 'drop-secure-view'; viewId: string };

/** For superusers alone: a path reaches beyond the tenant. `database` is a name. */
export type SourceCommand =
  | {
      type: 'create-source';
      sourceId: string;
      database: string;
      alias: string;
      sourceType: SourceType;
      path: string;
      description: string | null;
    }
  | { type: 'delete-source'; database: string; alias: string };

/** What can be asked of `$system`. */
export type SystemCommand =
  | { type: 'create-tenant'; tenant: string; displayName: string; authProvider: string; builtinIds: BuiltinIds }
  | { type: 'delete-tenant'; tenant: string }
  | { type: 'switch-tenant'; tenant: string; disabled: boolean }
  | { type: 'set-interrupt'; tenant: string; interruptOnRevoke: boolean }
  | { type: 'create-superuser'; userId: string; kind: UserKind; mustChangePassword: boolean }
  | ({ type: 'update-superuser'; userId: string } & AccountChange)
  | { type: 'delete-superuser'; userId: string };

/** Ids for the built-ins of a new tenant. */
export interface BuiltinIds {
  allTables: string;
  allTablesPermission: string;
  noTables: string;
  allPools: string;
  allPoolsGrant: string;
  noPools: string;
}

/** Who asks: a user's id where there is one (the static key and the system itself have none). */
export interface Actor {
  superuser: boolean;
  userId: string | null;
}
