import type { ColumnAction, Effect, SecureViewBody, TableTuple, UserKind, Verb } from './model';

export type DatabaseKind = 'duckdb-file' | 'memory' | 'ducklake';
export const DATABASE_KINDS: readonly DatabaseKind[] = ['duckdb-file', 'memory', 'ducklake'];

/** What a federated source of a database is. */
export type SourceType = 'duckdb' | 'sqlite';
export const SOURCE_TYPES: readonly SourceType[] = ['duckdb', 'sqlite'];

/** Limits of a pool; null = the manager's default. Times in the unit that the name says. */
export interface PoolLimits {
  idleTimeoutSec: number | null;
  maxConcurrentPerNode: number | null;
  statementTimeoutMs: number | null;
  maxRows: number | null;
}

/** What a column policy does: the text of its author, and the canonical form of that. */
export interface ColumnRule {
  action: ColumnAction;
  transformSql: string | null;
  canonical: string | null;
}

/** What a row policy does, likewise. */
export interface RowRule {
  predicateSql: string;
  canonical: string;
}

/**
 * The data of every policy event by its type. Type names are strings of their own and never change; a changed shape gets
 * a higher `schema`. No event holds a username, an e-mail address, a password, a hash, a token or an init script: those
 * are side tables that events refer to by id (DESIGN section 3, points 8 and 12).
 */
export interface EventData {
  // $system
  'tenant.created': { tenant: string; displayName: string; authProvider: string };
  'tenant.disabled': { tenant: string };
  'tenant.enabled': { tenant: string };
  'tenant.deleted': { tenant: string };
  /** Whether a revoke ends statements that run. */
  'tenant.interrupt-set': { tenant: string; interruptOnRevoke: boolean };

  // a tenant's stream
  'database.created': {
    databaseId: string;
    name: string;
    kind: DatabaseKind;
    defaultDatabase: string;
    defaultSchema: string;
    dataPath: string | null;
    readOnly: boolean;
    /** Version of the row of the side table `node_setup` in force; null = none. */
    setupVersion: number | null;
  };
  'database.updated': {
    databaseId: string;
    defaultDatabase: string;
    defaultSchema: string;
    setupVersion: number | null;
  };
  'database.deleted': { databaseId: string };
  'pool.created': {
    poolId: string;
    databaseId: string;
    name: string;
    size: number;
    disabled: boolean;
    setupVersion: number | null;
  } & PoolLimits;
  'pool.scaled': { poolId: string; size: number };
  'pool.stopped': { poolId: string };
  'pool.disabled': { poolId: string };
  'pool.enabled': { poolId: string };
  'pool.deleted': { poolId: string };
  'role.created': { roleId: string; name: string; description: string | null; builtin: boolean };
  'role.deleted': { roleId: string };
  'permission.granted': {
    permissionId: string;
    roleId: string;
    effect: Effect;
    catalog: string;
    schema: string;
    table: string;
    verb: Verb;
  };
  'permission.revoked': { permissionId: string; roleId: string };
  /** `canonical`: the expression as it is compared and enforced; both null for a deny. */
  'column-policy.created': { policyId: string; roleId: string; column: string } & TableTuple & ColumnRule;
  'column-policy.changed': { policyId: string; roleId: string } & ColumnRule;
  'column-policy.deleted': { policyId: string; roleId: string };
  'row-policy.created': { policyId: string; roleId: string } & TableTuple & RowRule;
  'row-policy.changed': { policyId: string; roleId: string } & RowRule;
  'row-policy.deleted': { policyId: string; roleId: string };
  'group.created': { groupId: string; name: string; description: string | null; builtin: boolean };
  'group.deleted': { groupId: string };
  'user-role.added': { userId: string; roleId: string };
  'user-role.removed': { userId: string; roleId: string };
  'user-group.added': { userId: string; groupId: string };
  'user-group.removed': { userId: string; groupId: string };
  'group-role.added': { groupId: string; roleId: string };
  'group-role.removed': { groupId: string; roleId: string };
  /** `poolId` null = every pool of the tenant; exactly one of `userId` and `groupId` is set. */
  'pool-permission.granted': { grantId: string; poolId: string | null; userId: string | null; groupId: string | null };
  'pool-permission.revoked': { grantId: string };
  'macro.admitted': { macroId: string; catalog: string; schema: string; name: string };
  'macro.withdrawn': { macroId: string };
  'secure-view.created': { viewId: string; catalog: string; schema: string; name: string } & SecureViewBody;
  'secure-view.changed': { viewId: string } & SecureViewBody;
  'secure-view.dropped': { viewId: string };
  /** A catalog of another origin, that nodes of the database attach read-only under the alias. */
  'federated-source.created': {
    sourceId: string;
    databaseId: string;
    alias: string;
    sourceType: SourceType;
    path: string;
    description: string | null;
  };
  'federated-source.deleted': { sourceId: string };

  // a tenant's stream for its users, $system for superusers
  'user.created': {
    userId: string;
    kind: UserKind;
    /** Versions of the rows of `user_profile` and `user_credential` in force. */
    profileVersion: number;
    credentialVersion: number;
    mustChangePassword: boolean;
  };
  'user.kind-changed': { userId: string; kind: UserKind };
  'user.enabled': { userId: string };
  'user.disabled': { userId: string };
  'user.deleted': { userId: string };
  /** The password or the duty to change it moved; the hash itself is in the side table. */
  'user.credential-changed': { userId: string; credentialVersion: number; mustChangePassword: boolean };
  /** The e-mail address moved; the address itself is in the side table. */
  'user.profile-changed': { userId: string; profileVersion: number };
}

export type EventType = keyof EventData;

/** A policy event as the domain decides it, before it is recorded. */
export type PolicyEvent = { [T in EventType]: { type: T; data: EventData[T] } }[EventType];

/** Every type of event with the newest version of its data's shape, which new events are written under. */
export const POLICY_EVENTS: Readonly<Record<EventType, { schema: number }>> = {
  'tenant.created': { schema: 1 },
  'tenant.disabled': { schema: 1 },
  'tenant.enabled': { schema: 1 },
  'tenant.deleted': { schema: 1 },
  'tenant.interrupt-set': { schema: 1 },
  'database.created': { schema: 1 },
  'database.updated': { schema: 1 },
  'database.deleted': { schema: 1 },
  'pool.created': { schema: 1 },
  'pool.scaled': { schema: 1 },
  'pool.stopped': { schema: 1 },
  'pool.disabled': { schema: 1 },
  'pool.enabled': { schema: 1 },
  'pool.deleted': { schema: 1 },
  'role.created': { schema: 1 },
  'role.deleted': { schema: 1 },
  'permission.granted': { schema: 1 },
  'permission.revoked': { schema: 1 },
  'column-policy.created': { schema: 1 },
  'column-policy.changed': { schema: 1 },
  'column-policy.deleted': { schema: 1 },
  'row-policy.created': { schema: 1 },
  'row-policy.changed': { schema: 1 },
  'row-policy.deleted': { schema: 1 },
  'group.created': { schema: 1 },
  'group.deleted': { schema: 1 },
  'user-role.added': { schema: 1 },
  'user-role.removed': { schema: 1 },
  'user-group.added': { schema: 1 },
  'user-group.removed': { schema: 1 },
  'group-role.added': { schema: 1 },
  'group-role.removed': { schema: 1 },
  'pool-permission.granted': { schema: 1 },
  'pool-permission.revoked': { schema: 1 },
  'macro.admitted': { schema: 1 },
  'macro.withdrawn': { schema: 1 },
  'secure-view.created': { schema: 1 },
  'secure-view.changed': { schema: 1 },
  'secure-view.dropped': { schema: 1 },
  'federated-source.created': { schema: 1 },
  'federated-source.deleted': { schema: 1 },
  'user.created': { schema: 1 },
  'user.kind-changed': { schema: 1 },
  'user.enabled': { schema: 1 },
  'user.disabled': { schema: 1 },
  'user.deleted': { schema: 1 },
  'user.credential-changed': { schema: 1 },
  'user.profile-changed': { schema: 1 },
};
