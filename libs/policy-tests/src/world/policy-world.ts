import {
  type Actor,
  admitToPool,
  BUILTINS,
  decide,
  decideSystem,
  DomainError,
  type EffectiveSet,
  effectiveSet,
  emptyTenant,
  evolve,
  foldName,
  type PolicyCommand,
  type PolicyEvent,
  profileOf,
  type SecureView,
  setDigest,
  superuserSet,
  type TenantState,
} from '@gadwall/rbac';

/**
 * The control plane of one tenant in memory, as plain data: what deciders and closures of `@gadwall/rbac` give from the
 * commands that doors would send. Names of accounts are here, for events hold none.
 */
export interface PolicyWorld {
  tenant: TenantState;
  /** The one pool that statements are sent to. */
  pool: { id: string; name: string };
  /** Ids of the tenant's users by their names, in Unicode's NFC; those that were deleted are here too. */
  users: ReadonlyMap<string, string>;
  superusers: ReadonlySet<string>;
  /** Statements that changed it since it was new. */
  changes: number;
}

/** A principal let through gate 1. */
export interface Admitted {
  userId: string;
  set: EffectiveSet;
  digest: string;
}

/** One whom no gate holds: fills databases, and answers what is asked of a twin or of the state. */
export function rootAdmitted(): Admitted {
  const { userId, set } = superuserOf('root');
  return { userId, set, digest: setDigest(set) };
}

const SUPERUSER: Actor = { superuser: true, userId: null };

/**
 * A new tenant with its built-ins, its databases, and a pool on the first of them.
 *
 * @throws DomainError for names that cannot be
 */
export function newWorld(tenant: string, pool: string, databases: readonly string[]): PolicyWorld {
  const system = { tenants: [], superusers: [] };
  const create = { type: 'create-tenant', tenant, displayName: tenant, authProvider: 'db', builtinIds: BUILTIN_IDS };
  const born = decideSystem(create as Parameters<typeof decideSystem>[0], system, SUPERUSER).tenant;
  const world: PolicyWorld = {
    tenant: born.reduce(evolve, emptyTenant(tenant)),
    pool: { id: idOf('pool', pool), name: pool },
    users: new Map(),
    superusers: new Set(),
    changes: 0,
  };
  const [first = ''] = databases;
  return [...databases.map(createDatabase), createPool(first, pool)].reduce(changed, world);
}

const BUILTIN_IDS = {
  allTables: BUILTINS.allTables,
  allTablesPermission: `permission:${BUILTINS.allTables}`,
  noTables: BUILTINS.noTables,
  allPools: BUILTINS.allPools,
  allPoolsGrant: `grant:${BUILTINS.allPools}`,
  noPools: BUILTINS.noPools,
};

/** The id of what bears a name: one per name and kind, as names are one whatever their case. */
export function idOf(kind: 'pool' | 'role' | 'group' | 'database', name: string): string {
  return `${kind}:${foldName(name)}`;
}

function createDatabase(name: string): PolicyCommand {
  return {
    type: 'create-database',
    databaseId: idOf('database', name),
    name,
    kind: 'memory',
    defaultDatabase: null,
    defaultSchema: null,
    dataPath: null,
    readOnly: false,
    setup: false,
  };
}

function createPool(database: string, pool: string): PolicyCommand {
  const limits = { idleTimeoutSec: null, maxConcurrentPerNode: null, statementTimeoutMs: null, maxRows: null };
  return {
    type: 'create-pool',
    poolId: idOf('pool', pool),
    database,
    pool,
    size: 1,
    disabled: false,
    setup: false,
    ...limits,
  };
}

/**
 * The world after a command of a superuser.
 *
 * @throws DomainError with the reason of a refusal
 */
export function changed(world: PolicyWorld, command: PolicyCommand): PolicyWorld {
  const events: PolicyEvent[] = decide(command, world.tenant, SUPERUSER);
  return { ...world, tenant: events.reduce(evolve, world.tenant) };
}

/** The world with a secure view that the databases of its fixture have. */
export function withSecureView(world: PolicyWorld, view: SecureView): PolicyWorld {
  return changed(world, { type: 'create-secure-view', viewId: `view:${world.tenant.secureViews.length}`, ...view });
}

/**
 * Gate 1 and the set that gate 2 judges with, as they are now.
 *
 * @param username a user or a superuser of this world
 * @throws DomainError with the reason of a refusal
 */
export function admit(world: PolicyWorld, username: string): Admitted {
  const principal = world.superusers.has(username) ? superuserOf(username) : userOf(world, username);
  const { set, userId, enabled } = principal;
  const gated = { poolId: world.pool.id, poolDisabled: false, tenantInService: true };
  admitToPool({ username, enabled, set, tenantInService: true }, world.pool.name, gated);
  return { userId, set, digest: setDigest(set) };
}

interface Account {
  userId: string;
  enabled: boolean;
  set: EffectiveSet;
}

function superuserOf(username: string): Account {
  return { userId: `superuser:${username}`, enabled: true, set: superuserSet(username) };
}

/** The session of an account that is gone is over. */
function userOf(world: PolicyWorld, username: string): Account {
  const user = world.tenant.users.find(({ id }) => id === world.users.get(username.normalize('NFC')));
  if (!user) throw new DomainError('revoked_session');
  return {
    userId: user.id,
    enabled: user.enabled,
    set: effectiveSet(world.tenant, username, profileOf(world.tenant, user.id)),
  };
}
