import { BUILTINS } from '../builtins';
import type { Actor, PolicyCommand, SystemCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import { emptyTenant, evolve, type SystemState, type TenantState, type User } from '../state';
import { decide, decideSystem } from './index';

const ROOT: Actor = { superuser: true, userId: null };

const ids = {
  allTables: 'all-tables',
  allTablesPermission: 'all-tables-permission',
  noTables: 'no-tables',
  allPools: 'all-pools',
  allPoolsGrant: 'all-pools-grant',
  noPools: 'no-pools',
};

const create: SystemCommand = {
  type: 'create-tenant',
  tenant: 'acme',
  displayName: 'Acme',
  authProvider: 'db',
  builtinIds: ids,
};

const nothing: SystemState = { tenants: [], superusers: [] };

/** A tenant as it is born, then after further commands by a superuser. */
function given(...commands: PolicyCommand[]): TenantState {
  const born = decideSystem(create, nothing, ROOT).tenant.reduce(evolve, emptyTenant('acme'));
  return commands.reduce((state, command) => decide(command, state, ROOT).reduce(evolve, state), born);
}

/** The events of a command, or the code of its refusal. */
function when(state: TenantState, command: PolicyCommand, actor: Actor = ROOT): PolicyEvent[] | string {
  try {
    return decide(command, state, actor);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

const role: PolicyCommand = { type: 'create-role', roleId: 'r', name: 'analyst', description: null };
const group: PolicyCommand = { type: 'create-group', groupId: 'g', name: 'staff', description: null };
const user: PolicyCommand = {
  type: 'create-user',
  userId: 'u',
  kind: 'user',
  mustChangePassword: false,
  roles: [BUILTINS.noTables],
  groups: [BUILTINS.noPools],
};
const database: PolicyCommand = {
  type: 'create-database',
  databaseId: 'd',
  name: 'lake',
  kind: 'memory',
  defaultDatabase: null,
  defaultSchema: null,
  dataPath: null,
  readOnly: false,
  setup: false,
};
const pool: PolicyCommand = {
  type: 'create-pool',
  poolId: 'p',
  database: 'lake',
  pool: 'bi',
  size: 1,
  disabled: false,
  setup: false,
  idleTimeoutSec: null,
  maxConcurrentPerNode: null,
  statementTimeoutMs: null,
  maxRows: null,
};
const permission: PolicyCommand = {
  type: 'grant-permission',
  permissionId: 'm',
  roleId: 'r',
  effect: 'allow',
  catalog: 'lake',
  schema: 'main',
  table: 't',
  verb: 'RO',
};

const source: PolicyCommand = {
  type: 'create-source',
  sourceId: 's1',
  database: 'lake',
  alias: 'far',
  sourceType: 'duckdb',
  path: '/data/far.duckdb',
  description: null,
};

const place = { catalog: 'lake', schema: '*', table: 'Customer' };
const mask = { action: 'mask', transformSql: 'null', canonical: 'NULL' } as const;
const deny = { action: 'deny', transformSql: null, canonical: null } as const;
const columnPolicy = {
  type: 'create-column-policy',
  policyId: 'c',
  roleId: 'r',
  ...place,
  column: 'Phone',
  ...mask,
} as const;
const predicate = { predicateSql: 'A', canonical: 'a' };
const rowPolicy = { type: 'create-row-policy', policyId: 'w', roleId: 'r', ...place, ...predicate } as const;
const macro: PolicyCommand = { type: 'admit-macro', macroId: 'm1', catalog: 'Lake', schema: 'main', name: 'Net' };

const secureView = {
  type: 'create-secure-view',
  viewId: 'w1',
  catalog: 'Lake',
  schema: 'main',
  name: 'Some',
  body: 'SELECT id FROM lake.main.t',
  columns: ['id'],
  bases: [{ catalog: 'lake', schema: 'main', name: 't', kind: 'table' }],
} satisfies PolicyCommand;

describe('a tenant', () => {
  it('is born with the built-ins', () => {
    const { roles, groups, permissions, poolPermissions } = given();
    expect([...roles, ...groups].map(({ name, builtin }) => [name, builtin])).toEqual([
      [BUILTINS.allTables, true],
      [BUILTINS.noTables, true],
      [BUILTINS.allPools, true],
      [BUILTINS.noPools, true],
    ]);
    expect(permissions).toMatchObject([{ roleId: 'all-tables', catalog: '*', schema: '*', table: '*', verb: 'ALL' }]);
    expect(poolPermissions).toMatchObject([{ poolId: null, groupId: 'all-pools' }]);
  });

  it.each(['', 'Acme', '$system', 'a b', '../x', 'a'.repeat(64), '-a'])('is not called %j', (tenant) => {
    expect(() => decideSystem({ ...create, tenant }, nothing, ROOT)).toThrow(DomainError);
  });

  it('is not deleted while it has pools', () => {
    const state = { ...nothing, tenants: [{ id: 'acme', disabled: false, interruptOnRevoke: false, pools: 1 }] };
    expect(() => decideSystem({ type: 'delete-tenant', tenant: 'acme' }, state, ROOT)).toThrow(/still has pools/);
  });
});

describe('decisions', () => {
  it.each<[string, TenantState, PolicyCommand, PolicyEvent['type'][] | string]>([
    ['a role', given(), role, ['role.created']],
    ['a role of a taken name', given(role), { ...role, name: 'ANALYST' }, 'invalid_role'],
    ['a role without a name', given(), { ...role, name: ' ' }, 'invalid_role'],
    ['a role with a control character', given(), { ...role, name: 'a\u0000b' }, 'invalid_role'],
    ['a reserved name', given(), { ...role, name: 'QOD_all' }, 'reserved_name'],
    ['an unknown role deleted', given(), { type: 'delete-role', roleId: 'x' }, 'not_found'],
    ['a built-in deleted', given(), { type: 'delete-role', roleId: 'all-tables' }, 'builtin_protected'],
    ['a permission', given(role), permission, ['permission.granted']],
    ['the same permission again', given(role, permission), { ...permission, table: 'T' }, []],
    ['its deny beside it', given(role, permission), { ...permission, effect: 'deny' }, ['permission.granted']],
    ['an unknown verb', given(role), { ...permission, verb: 'SELECT' }, 'invalid_permission'],
    ['an empty name', given(role), { ...permission, schema: '' }, 'invalid_permission'],
    ['a permission of a built-in', given(), { ...permission, roleId: 'no-tables' }, 'builtin_protected'],
    ['a group', given(), group, ['group.created']],
    ['a user', given(), user, ['user.created', 'user-role.added', 'user-group.added']],
    [
      'an alias of a built-in',
      given(),
      { ...user, roles: ['qod_no_tables'] },
      ['user.created', 'user-role.added', 'user-group.added'],
    ],
    ['no roles', given(), { ...user, roles: [] }, 'roles_required'],
    ['no groups', given(), { ...user, groups: [] }, 'groups_required'],
    ['an unknown role', given(), { ...user, roles: ['x'] }, 'unknown_role'],
    ['an unknown group', given(), { ...user, groups: ['x'] }, 'unknown_group'],
    ['a user again', given(user), { ...user, type: 'recreate-user', roles: null, groups: null }, []],
    ['an edge', given(role, user), { type: 'add-user-role', userId: 'u', roleId: 'r' }, ['user-role.added']],
    ['an edge that is there', given(user), { type: 'add-user-role', userId: 'u', roleId: 'no-tables' }, []],
    ['an edge that is not there', given(role, user), { type: 'remove-user-role', userId: 'u', roleId: 'r' }, []],
    [
      'a role in a built-in group',
      given(role),
      { type: 'add-group-role', groupId: 'all-pools', roleId: 'r' },
      'builtin_protected',
    ],
    [
      'a built-in role in a group',
      given(group),
      { type: 'add-group-role', groupId: 'g', roleId: 'all-tables' },
      ['group-role.added'],
    ],
    ['a database', given(), database, ['database.created']],
    [
      'a database of a taken catalog',
      given(database),
      { ...database, name: 'x', defaultDatabase: 'LAKE' },
      'invalid_database',
    ],
    ['a database called as the engine’s', given(), { ...database, name: 'temp' }, 'invalid_database'],
    ['a file that is seeded', given(), { ...database, kind: 'duckdb-file', readOnly: true }, 'invalid_database'],
    ['a pool', given(database), pool, ['pool.created']],
    ['a pool of a taken name', given(database, pool), { ...pool, pool: 'BI' }, 'invalid_pool'],
    ['a pool of no database', given(), pool, 'not_found'],
    ['a database with pools deleted', given(database, pool), { type: 'delete-database', name: 'lake' }, 'has_pools'],
    [
      'a stopped pool scaled',
      given(database, pool),
      { type: 'scale-pool', database: 'lake', pool: 'bi', size: 2 },
      ['pool.scaled'],
    ],
    [
      'a grant to nobody',
      given(),
      { type: 'grant-pool', grantId: 'k', poolId: null, userId: null, groupId: null },
      'invalid_grant',
    ],
    [
      'a grant of a built-in revoked',
      given(),
      { type: 'revoke-pool', grantId: 'all-pools-grant' },
      'builtin_protected',
    ],
    ['a source', given(database), source, ['federated-source.created']],
    ['a source of no database', given(), source, 'not_found'],
    ['a source under the catalog of a database', given(database), { ...source, alias: 'LAKE' }, 'invalid_source'],
    ['a source under an alias that is taken', given(database, source), { ...source, alias: 'Far' }, 'invalid_source'],
    ['a source under a catalog of the engine', given(database), { ...source, alias: 'Memory' }, 'invalid_source'],
    ['a source of a database in service', given(database, pool), source, 'invalid_source'],
    [
      'a source of a database whose pools are stopped',
      given(database, pool, { type: 'stop-pool', database: 'lake', pool: 'bi' }),
      source,
      ['federated-source.created'],
    ],
    [
      'a source taken off a database in service',
      given(database, source, pool),
      { type: 'delete-source', database: 'lake', alias: 'far' },
      'invalid_source',
    ],
    [
      'a source taken off',
      given(database, source),
      { type: 'delete-source', database: 'LAKE', alias: 'FAR' },
      ['federated-source.deleted'],
    ],
    ['an unknown source', given(database), { type: 'delete-source', database: 'lake', alias: 'far' }, 'not_found'],
    [
      'a database with a source deleted',
      given(database, source),
      { type: 'delete-database', name: 'lake' },
      ['federated-source.deleted', 'database.deleted'],
    ],
    [
      'a database under the alias of a source',
      given(database, source),
      { ...database, databaseId: 'd2', name: 'far' },
      'invalid_database',
    ],
    ['a column policy', given(role), columnPolicy, ['column-policy.created']],
    ['one of a role that is not there', given(), columnPolicy, 'not_found'],
    ['one of a built-in role', given(), { ...columnPolicy, roleId: 'all-tables' }, 'builtin_protected'],
    ['one on every column', given(role), { ...columnPolicy, column: '*' }, 'invalid_policy'],
    ['one on a table without a name', given(role), { ...columnPolicy, table: '' }, 'invalid_policy'],
    ['a mask without an expression', given(role), { ...columnPolicy, ...deny, action: 'mask' }, 'invalid_policy'],
    ['a denial with an expression', given(role), { ...columnPolicy, action: 'deny' }, 'invalid_policy'],
    ['the same policy again', given(role, columnPolicy), { ...columnPolicy, policyId: 'c2', column: 'PHONE' }, []],
    [
      'another column',
      given(role, columnPolicy),
      { ...columnPolicy, policyId: 'c2', column: 'x' },
      ['column-policy.created'],
    ],
    [
      'a column policy changed',
      given(role, columnPolicy),
      { type: 'update-column-policy', policyId: 'c', ...deny },
      ['column-policy.changed'],
    ],
    ['one left as it is', given(role, columnPolicy), { type: 'update-column-policy', policyId: 'c', ...mask }, []],
    ['one that is not there', given(role), { type: 'update-column-policy', policyId: 'c', ...mask }, 'not_found'],
    [
      'a column policy deleted',
      given(role, columnPolicy),
      { type: 'delete-column-policy', policyId: 'c' },
      ['column-policy.deleted'],
    ],
    ['an unknown one deleted', given(role), { type: 'delete-column-policy', policyId: 'c' }, 'not_found'],
    ['a row policy', given(role), rowPolicy, ['row-policy.created']],
    ['one of an unknown role', given(), rowPolicy, 'not_found'],
    ['the same row policy again', given(role, rowPolicy), { ...rowPolicy, policyId: 'w2' }, []],
    [
      'a row policy changed',
      given(role, rowPolicy),
      { type: 'update-row-policy', policyId: 'w', predicateSql: 'b', canonical: 'b' },
      ['row-policy.changed'],
    ],
    ['an unknown one changed', given(role), { type: 'update-row-policy', policyId: 'w', ...predicate }, 'not_found'],
    [
      'a row policy deleted',
      given(role, rowPolicy),
      { type: 'delete-row-policy', policyId: 'w' },
      ['row-policy.deleted'],
    ],
    ['a secure view', given(database), secureView, ['secure-view.created']],
    ['a secure view as it is', given(database, secureView), { ...secureView, viewId: 'w2', name: 'SOME' }, []],
    [
      'a secure view of another body',
      given(database, secureView),
      { ...secureView, viewId: 'w2', body: 'SELECT 1 AS id', bases: [] },
      ['secure-view.changed'],
    ],
    [
      'a secure view of other columns',
      given(database, secureView),
      { ...secureView, columns: ['id', 'v'] },
      ['secure-view.changed'],
    ],
    ['a secure view elsewhere', given(database, secureView), { ...secureView, schema: 's' }, ['secure-view.created']],
    ['a secure view of a catalog that is not the tenant’s', given(), secureView, 'invalid_secure_view'],
    ['a secure view without a name', given(database), { ...secureView, name: '' }, 'invalid_secure_view'],
    [
      'a secure view dropped',
      given(database, secureView),
      { type: 'drop-secure-view', viewId: 'w1' },
      ['secure-view.dropped'],
    ],
    ['an unknown secure view dropped', given(database), { type: 'drop-secure-view', viewId: 'w1' }, 'not_found'],
    [
      'a database with a secure view deleted',
      given(database, secureView),
      { type: 'delete-database', name: 'lake' },
      ['secure-view.dropped', 'database.deleted'],
    ],
    [
      'a catalog with a secure view renamed',
      given(database, secureView),
      { type: 'update-database', name: 'lake', defaultDatabase: 'sea', defaultSchema: null, setup: false },
      ['secure-view.dropped', 'database.updated'],
    ],
    ['a macro', given(database), macro, ['macro.admitted']],
    ['a macro called as an operator', given(database), { ...macro, name: '~~' }, ['macro.admitted']],
    ['a macro that is admitted', given(database, macro), { ...macro, macroId: 'm2', name: 'NET' }, []],
    ['a macro of that name elsewhere', given(database, macro), { ...macro, schema: 's' }, ['macro.admitted']],
    ['a macro of a catalog that is not the tenant’s', given(), macro, 'invalid_macro'],
    ['all macros of a schema', given(database), { ...macro, name: '*' }, 'invalid_macro'],
    ['a macro without a name', given(database), { ...macro, name: '' }, 'invalid_macro'],
    ['a macro withdrawn', given(database, macro), { type: 'withdraw-macro', macroId: 'm1' }, ['macro.withdrawn']],
    ['an unknown macro withdrawn', given(database), { type: 'withdraw-macro', macroId: 'm1' }, 'not_found'],
    [
      'a database with a macro deleted',
      given(database, macro),
      { type: 'delete-database', name: 'lake' },
      ['macro.withdrawn', 'database.deleted'],
    ],
    [
      'a catalog with a macro renamed',
      given(database, macro),
      { type: 'update-database', name: 'lake', defaultDatabase: 'sea', defaultSchema: null, setup: false },
      ['macro.withdrawn', 'database.updated'],
    ],
    [
      'a database with a macro changed otherwise',
      given(database, macro),
      { type: 'update-database', name: 'lake', defaultDatabase: 'LAKE', defaultSchema: 's', setup: false },
      ['database.updated'],
    ],
  ])('%s', (_, state, command, expected) => {
    const outcome = when(state, command);
    expect(typeof outcome === 'string' ? outcome : outcome.map((event) => event.type)).toEqual(expected);
  });

  it('leave sources to superusers', () => {
    const admin: Actor = { superuser: false, userId: 'u' };
    expect(when(given(database), source, admin)).toBe('superuser_required');
    const taken: PolicyCommand = { type: 'delete-source', database: 'lake', alias: 'far' };
    expect(when(given(database, source), taken, admin)).toBe('superuser_required');
  });

  it('change a secure view under its id, and drop it', () => {
    const changed = { ...secureView, viewId: 'w2', body: 'SELECT 1 AS id', bases: [] };
    expect(given(database, secureView, changed).secureViews).toEqual([
      expect.objectContaining({ id: 'w1', name: 'Some', body: 'SELECT 1 AS id', bases: [] }),
    ]);
    expect(given(database, secureView, { type: 'drop-secure-view', viewId: 'w1' }).secureViews).toEqual([]);
  });

  it('leave secure views to superusers', () => {
    const admin: Actor = { superuser: false, userId: 'u' };
    expect(when(given(database), secureView, admin)).toBe('superuser_required');
    expect(when(given(database, secureView), { type: 'drop-secure-view', viewId: 'w1' }, admin)).toBe(
      'superuser_required',
    );
  });

  it('leave macros to superusers', () => {
    const admin: Actor = { superuser: false, userId: 'u' };
    expect(when(given(database), macro, admin)).toBe('superuser_required');
    expect(when(given(database, macro), { type: 'withdraw-macro', macroId: 'm1' }, admin)).toBe('superuser_required');
    expect(when(given(database, macro), { type: 'delete-database', name: 'lake' }, admin)).toHaveLength(2);
  });

  it('attach the built-ins of all where no list is given', () => {
    const state = given({ ...user, roles: null, groups: null });
    expect(state.userRoles).toEqual([{ userId: 'u', roleId: 'all-tables' }]);
    expect(state.userGroups).toEqual([{ userId: 'u', groupId: 'all-pools' }]);
  });

  it('take along what hangs on a role, a group, a user, a pool', () => {
    const full = given(
      role,
      permission,
      group,
      user,
      database,
      pool,
      { type: 'add-user-role', userId: 'u', roleId: 'r' },
      { type: 'add-group-role', groupId: 'g', roleId: 'r' },
      { type: 'add-user-group', userId: 'u', groupId: 'g' },
      { type: 'grant-pool', grantId: 'k1', poolId: 'p', userId: 'u', groupId: null },
      { type: 'grant-pool', grantId: 'k2', poolId: null, userId: null, groupId: 'g' },
    );
    const after = (command: PolicyCommand): TenantState => decide(command, full, ROOT).reduce(evolve, full);
    const noRole = after({ type: 'delete-role', roleId: 'r' });
    expect(JSON.stringify(noRole)).not.toContain('"r"');
    const noGroup = after({ type: 'delete-group', groupId: 'g' });
    expect(JSON.stringify(noGroup)).not.toContain('"g"');
    const noUser = after({ type: 'delete-user', userId: 'u' });
    expect(JSON.stringify(noUser)).not.toContain('"u"');
    const noPool = after({ type: 'delete-pool', database: 'lake', pool: 'bi' });
    expect(JSON.stringify(noPool)).not.toContain('"p"');
  });

  it('replaces a policy in its place: the id stays', () => {
    const state = given(role, columnPolicy, rowPolicy);
    const again = { ...columnPolicy, policyId: 'c2', catalog: 'LAKE', ...deny };
    expect(when(state, again)).toEqual([
      { type: 'column-policy.changed', data: { policyId: 'c', roleId: 'r', ...deny } },
    ]);
    const other = { predicateSql: 'b', canonical: 'b' };
    expect(when(state, { ...rowPolicy, policyId: 'w2', table: 'CUSTOMER', ...other })).toEqual([
      { type: 'row-policy.changed', data: { policyId: 'w', roleId: 'r', ...other } },
    ]);
    const [changed] = decide(again, state, ROOT).reduce(evolve, state).columnPolicies;
    expect(changed).toEqual({ id: 'c', roleId: 'r', ...place, column: 'Phone', ...deny });
  });

  it('takes the policies of a role along with it', () => {
    const after = decide({ type: 'delete-role', roleId: 'r' }, given(role, columnPolicy, rowPolicy), ROOT).reduce(
      evolve,
      given(role, columnPolicy, rowPolicy),
    );
    expect([after.columnPolicies, after.rowPolicies]).toEqual([[], []]);
  });

  it('let nobody lock or delete their own account', () => {
    const state = given({ ...user, kind: 'admin' });
    const self: Actor = { superuser: false, userId: 'u' };
    const update = { type: 'update-user', userId: 'u', password: false, email: false } as const;
    expect(when(state, { ...update, enabled: false }, self)).toBe('cannot_lock_self');
    expect(when(state, { ...update, kind: 'user' }, self)).toBe('cannot_lock_self');
    expect(when(state, { type: 'delete-user', userId: 'u' }, self)).toBe('cannot_delete_self');
    expect(when(state, { ...update, enabled: true }, self)).toEqual([]);
  });
});

describe('superusers', () => {
  const superuser = (id: string, enabled = true): User => ({
    id,
    kind: 'admin',
    enabled,
    mustChangePassword: false,
    profileVersion: 1,
    credentialVersion: 1,
  });
  const lock = (userId: string): SystemCommand => ({
    type: 'update-superuser',
    userId,
    enabled: false,
    password: false,
    email: false,
  });
  const outcome = (state: SystemState, command: SystemCommand, actor: Actor = ROOT): unknown => {
    try {
      return decideSystem(command, state, actor).system.map((event) => event.type);
    } catch (error) {
      return (error as DomainError).code;
    }
  };

  it('keep one enabled', () => {
    const one = { ...nothing, superusers: [superuser('a'), superuser('b', false)] };
    expect(outcome(one, lock('a'))).toBe('last_superuser');
    expect(outcome(one, { type: 'delete-superuser', userId: 'a' })).toBe('last_superuser');
    expect(outcome(one, { type: 'delete-superuser', userId: 'b' })).toEqual(['user.deleted']);
    const two = { ...nothing, superusers: [superuser('a'), superuser('b')] };
    expect(outcome(two, lock('a'))).toEqual(['user.disabled']);
    expect(outcome(two, lock('a'), { superuser: true, userId: 'a' })).toBe('cannot_lock_self');
    expect(outcome(two, { type: 'delete-superuser', userId: 'a' }, { superuser: true, userId: 'a' })).toBe(
      'cannot_delete_self',
    );
  });
});
