import fc from 'fast-check';
import type { PolicyCommand } from './commands';
import { decide } from './decide';
import { ownCatalogs, profileOf, reachOf } from './effective-set';
import { DomainError } from './errors';
import { guardChange } from './guard';
import type { AccessClass, TablePermission, Verb } from './model';
import type { Reach } from './reach';
import { emptyTenant, evolve, type TenantState, type User } from './state';

const CATALOGS = ['lake', 'side', 'federated'];
const SCHEMAS = ['main', 's1'];
const TABLES = ['a', 'b'];
/** `lake` and `side` are databases of the tenant; a wildcard reaches no other catalog. */
const OWN = ['lake', 'side'];
const CLASSES: Readonly<Record<Verb, readonly AccessClass[]>> = {
  RO: ['Read'],
  RW: ['Read', 'Write'],
  DDL: ['Ddl'],
  ALL: ['Read', 'Write', 'Ddl'],
};

/** Every single access that a reach gives, written out: the plain meaning of grants, against which the guard is held. */
function accesses(reach: Reach, pools: readonly string[]): Set<string> {
  const given = new Set<string>();
  const matching = (row: TablePermission, catalog: string, schema: string, table: string): boolean => {
    const anyCatalog = row.catalog === '*' && (row.effect === 'deny' || OWN.includes(catalog));
    return (
      (anyCatalog || row.catalog === catalog) && ['*', schema].includes(row.schema) && ['*', table].includes(row.table)
    );
  };
  // `zz` stands for every name that no grant mentions.
  for (const catalog of CATALOGS) {
    for (const schema of [...SCHEMAS, 'zz']) {
      for (const table of [...TABLES, 'zz', '*']) {
        for (const access of ['Read', 'Write', 'Ddl'] as const) {
          const rows = reach.permissions.filter(
            (row) => CLASSES[row.verb].includes(access) && matching(row, catalog, schema, table),
          );
          const denied = rows.some((row) => row.effect === 'deny');
          if (rows.length > 0 && !denied) given.add(`${catalog}.${schema}.${table}:${access}`);
        }
      }
    }
  }
  for (const pool of [...pools, 'pool to come']) {
    if (reach.pools === '*' || reach.pools.includes(pool)) given.add(`pool ${pool}`);
  }
  return given;
}

const accessesOf = (state: TenantState, userId: string): Set<string> =>
  state.users.some((user) => user.id === userId && user.enabled)
    ? accesses(
        reachOf(state, profileOf(state, userId)),
        state.pools.map((pool) => pool.id),
      )
    : new Set();

const user = (id: string, more: Partial<User> = {}): User => ({
  id,
  kind: 'user',
  enabled: true,
  mustChangePassword: false,
  profileVersion: 1,
  credentialVersion: 1,
  ...more,
});

const ROLES = ['r1', 'r2', 'r3'];
const GROUPS = ['g1', 'g2'];
const USERS = ['boss', 'u1', 'u2', 'u3'];
const POOLS = ['p1', 'p2'];

const pattern = (names: readonly string[]) => fc.constantFrom('*', ...names);
const permission = fc.record({
  effect: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const),
  catalog: pattern(CATALOGS),
  schema: pattern(SCHEMAS),
  table: pattern(TABLES),
  verb: fc.constantFrom('RO' as const, 'RW' as const, 'DDL' as const, 'ALL' as const),
});
const edges = <A, B>(a: readonly A[], b: readonly B[]) =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...a), fc.constantFrom(...b)), {
    selector: (edge) => edge.join(),
    maxLength: a.length * b.length,
  });

const graph: fc.Arbitrary<TenantState> = fc
  .record({
    permissions: fc.array(fc.tuple(fc.constantFrom(...ROLES), permission), { maxLength: 6 }),
    groupRoles: edges(GROUPS, ROLES),
    userRoles: edges(USERS, ROLES),
    userGroups: edges(USERS, GROUPS),
    grants: fc.array(
      fc.record({
        poolId: fc.constantFrom(null, ...POOLS),
        holder: fc.constantFrom(...USERS, ...GROUPS),
      }),
      { maxLength: 4 },
    ),
    disabled: fc.subarray(['u1', 'u2', 'u3']),
  })
  .map(({ permissions, groupRoles, userRoles, userGroups, grants, disabled }) => ({
    ...emptyTenant('acme'),
    databases: OWN.map((name) => ({
      id: name,
      name,
      kind: 'memory' as const,
      defaultDatabase: name,
      defaultSchema: 'main',
      dataPath: null,
      setupVersion: null,
    })),
    pools: POOLS.map((id) => ({ id, databaseId: 'lake', name: id, size: 1, disabled: false, stopped: false })),
    roles: ROLES.map((id) => ({ id, name: id, builtin: false })),
    groups: GROUPS.map((id) => ({ id, name: id, builtin: false })),
    permissions: permissions.map(([roleId, row], i) => ({ id: `m${i}`, roleId, ...row })),
    groupRoles: groupRoles.map(([groupId, roleId]) => ({ groupId, roleId })),
    userRoles: userRoles.map(([userId, roleId]) => ({ userId, roleId })),
    userGroups: userGroups.map(([userId, groupId]) => ({ userId, groupId })),
    poolPermissions: grants.map(({ poolId, holder }, i) => ({
      id: `k${i}`,
      poolId,
      userId: USERS.includes(holder) ? holder : null,
      groupId: GROUPS.includes(holder) ? holder : null,
    })),
    users: USERS.map((id) => user(id, { kind: id === 'boss' ? 'admin' : 'user', enabled: !disabled.includes(id) })),
  }));

const role = fc.constantFrom(...ROLES);
const group = fc.constantFrom(...GROUPS);
const anyUser = fc.constantFrom(...USERS);
const command: fc.Arbitrary<PolicyCommand> = fc.oneof(
  fc
    .tuple(role, permission)
    .map(([roleId, row]) => ({ type: 'grant-permission' as const, permissionId: 'new', roleId, ...row })),
  fc.constantFrom('m0', 'm1', 'm2', 'm3').map((permissionId) => ({ type: 'revoke-permission' as const, permissionId })),
  role.map((roleId) => ({ type: 'delete-role' as const, roleId })),
  group.map((groupId) => ({ type: 'delete-group' as const, groupId })),
  fc
    .tuple(fc.constantFrom('add-user-role' as const, 'remove-user-role' as const), anyUser, role)
    .map(([type, userId, roleId]) => ({ type, userId, roleId })),
  fc
    .tuple(fc.constantFrom('add-user-group' as const, 'remove-user-group' as const), anyUser, group)
    .map(([type, userId, groupId]) => ({ type, userId, groupId })),
  fc
    .tuple(fc.constantFrom('add-group-role' as const, 'remove-group-role' as const), group, role)
    .map(([type, groupId, roleId]) => ({ type, groupId, roleId })),
  fc.tuple(fc.constantFrom(null, ...POOLS), fc.constantFrom(...USERS, ...GROUPS)).map(([poolId, holder]) => ({
    type: 'grant-pool' as const,
    grantId: 'new',
    poolId,
    userId: USERS.includes(holder) ? holder : null,
    groupId: GROUPS.includes(holder) ? holder : null,
  })),
  fc.constantFrom('k0', 'k1').map((grantId) => ({ type: 'revoke-pool' as const, grantId })),
  fc.tuple(fc.subarray(ROLES, { minLength: 1 }), fc.subarray(GROUPS, { minLength: 1 })).map(([roles, groups]) => ({
    type: 'create-user' as const,
    userId: 'u4',
    kind: 'user' as const,
    mustChangePassword: false,
    roles,
    groups,
  })),
  fc.tuple(anyUser, fc.boolean()).map(([userId, enabled]) => ({
    type: 'update-user' as const,
    userId,
    enabled,
    password: false,
    email: false,
  })),
  anyUser.map((userId) => ({ type: 'delete-user' as const, userId })),
);

interface Outcome {
  refused: string | null;
  after: TenantState;
}

/** What `boss` gets for a command: the events applied, or the code of the refusal. */
async function attempt(before: TenantState, asked: PolicyCommand): Promise<Outcome> {
  try {
    const events = decide(asked, before, { superuser: false, userId: 'boss' });
    const after = events.reduce(evolve, before);
    // As in production: of the users, only those named and the actor are loaded; the others come as profiles.
    const named = 'userId' in asked && asked.userId !== null ? [asked.userId, 'boss'] : ['boss'];
    const slice = (state: TenantState): TenantState => ({
      ...state,
      users: state.users.filter(({ id }) => named.includes(id)),
      userRoles: state.userRoles.filter(({ userId }) => named.includes(userId)),
      userGroups: state.userGroups.filter(({ userId }) => named.includes(userId)),
      poolPermissions: state.poolPermissions.filter(({ userId }) => userId === null || named.includes(userId)),
    });
    const profiles = before.users.map(({ id }) => profileOf(before, id));
    await guardChange({ before: slice(before), after: slice(after), events, actorId: 'boss' }, () =>
      Promise.resolve(profiles),
    );
    return { refused: null, after };
  } catch (error) {
    if (error instanceof DomainError) return { refused: error.code, after: before };
    throw error;
  }
}

describe('invariant 10: no widening', () => {
  it('leaves nobody with an access that neither they had before nor the actor holds', async () => {
    await fc.assert(
      fc.asyncProperty(graph, command, async (before, asked) => {
        const { after } = await attempt(before, asked);
        const actor = accessesOf(before, 'boss');
        for (const { id } of after.users) {
          const had = accessesOf(before, id);
          const gained = [...accessesOf(after, id)].filter((access) => !had.has(access) && !actor.has(access));
          expect(gained).toEqual([]);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('holds over a sequence of commands', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.array(command, { minLength: 2, maxLength: 6 }), async (start, commands) => {
        const first = new Map(start.users.map(({ id }) => [id, accessesOf(start, id)]));
        const actor = accessesOf(start, 'boss');
        let state = start;
        for (const asked of commands) state = (await attempt(state, asked)).after;
        const disabledBefore = new Set(start.users.filter(({ enabled }) => !enabled).map(({ id }) => id));
        for (const { id } of state.users) {
          if (disabledBefore.has(id)) continue;
          const had = first.get(id) ?? new Set();
          expect([...accessesOf(state, id)].filter((access) => !had.has(access) && !actor.has(access))).toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses no command of an actor who holds everything', async () => {
    await fc.assert(
      fc.asyncProperty(graph, command, async (graphOfOthers, asked) => {
        const everything = { effect: 'allow', catalog: '*', schema: '*', table: '*', verb: 'ALL' } as const;
        const before: TenantState = {
          ...graphOfOthers,
          roles: [...graphOfOthers.roles, { id: 'all', name: 'all', builtin: true }],
          permissions: [
            // Literal grants on catalogs that are not the tenant's are the one thing `*` does not hold.
            ...graphOfOthers.permissions.filter((row) => row.catalog !== 'federated' && row.effect === 'allow'),
            { id: 'everything', roleId: 'all', ...everything },
          ],
          userRoles: [...graphOfOthers.userRoles, { userId: 'boss', roleId: 'all' }],
          poolPermissions: [
            ...graphOfOthers.poolPermissions,
            { id: 'every pool', poolId: null, userId: 'boss', groupId: null },
          ],
        };
        fc.pre(!('catalog' in asked && asked.catalog === 'federated'));
        const { refused } = await attempt(before, asked);
        expect(refused).not.toBe('grant_not_held');
      }),
      { numRuns: 1500 },
    );
  });

  it('never refuses to take an allow away', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.constantFrom('m0', 'm1', 'm2'), async (before, permissionId) => {
        fc.pre(before.permissions.some((row) => row.id === permissionId && row.effect === 'allow'));
        expect((await attempt(before, { type: 'revoke-permission', permissionId })).refused).toBeNull();
      }),
    );
  });
});

describe('the guard, case by case', () => {
  const start: TenantState = {
    ...emptyTenant('acme'),
    databases: [
      {
        id: 'd',
        name: 'lake',
        kind: 'memory',
        defaultDatabase: 'Lake',
        defaultSchema: 'main',
        dataPath: null,
        setupVersion: null,
      },
    ],
    pools: [{ id: 'p1', databaseId: 'd', name: 'bi', size: 1, disabled: false, stopped: false }],
    roles: [
      { id: 'mine', name: 'mine', builtin: false },
      { id: 'theirs', name: 'theirs', builtin: false },
      { id: 'mask', name: 'mask', builtin: false },
    ],
    groups: [{ id: 'g', name: 'g', builtin: false }],
    permissions: [
      { id: 'm1', roleId: 'mine', effect: 'allow', catalog: 'lake', schema: '*', table: '*', verb: 'RO' },
      { id: 'm2', roleId: 'theirs', effect: 'allow', catalog: 'lake', schema: 'main', table: 'secret', verb: 'RW' },
      { id: 'm3', roleId: 'mask', effect: 'deny', catalog: '*', schema: '*', table: 'secret', verb: 'ALL' },
    ],
    users: [user('boss', { kind: 'admin' }), user('u1'), user('u2')],
    userRoles: [
      { userId: 'boss', roleId: 'mine' },
      { userId: 'u1', roleId: 'theirs' },
      { userId: 'u1', roleId: 'mask' },
    ],
  };
  const grant = (more: Partial<TablePermission & { roleId: string }>): PolicyCommand => ({
    type: 'grant-permission',
    permissionId: 'new',
    roleId: 'theirs',
    effect: 'allow',
    catalog: 'lake',
    schema: 'main',
    table: 't',
    verb: 'RO',
    ...more,
  });
  const update = (userId: string, more: object): PolicyCommand => ({
    type: 'update-user',
    userId,
    password: false,
    email: false,
    ...more,
  });

  it.each<[string, PolicyCommand, string | null]>([
    ['a part of what one holds', grant({}), null],
    ['the same in another case', grant({ catalog: 'LAKE', schema: 'MAIN' }), null],
    ['a stronger verb', grant({ verb: 'RW' }), 'grant_not_held'],
    ['a wider pattern', grant({ catalog: '*' }), 'grant_not_held'],
    ['a foreign catalog', grant({ catalog: 'globex' }), 'grant_not_held'],
    ['a role that holds more', { type: 'add-user-role', userId: 'u2', roleId: 'theirs' }, 'grant_not_held'],
    ['such a role to oneself', { type: 'add-user-role', userId: 'boss', roleId: 'theirs' }, 'grant_not_held'],
    ['such a role to a group without members', { type: 'add-group-role', groupId: 'g', roleId: 'theirs' }, null],
    ['a deny taken away', { type: 'revoke-permission', permissionId: 'm3' }, 'grant_not_held'],
    ['a role that denies taken away', { type: 'remove-user-role', userId: 'u1', roleId: 'mask' }, 'grant_not_held'],
    ['a role that denies deleted', { type: 'delete-role', roleId: 'mask' }, 'grant_not_held'],
    ['a role that allows deleted', { type: 'delete-role', roleId: 'theirs' }, null],
    ['every pool', { type: 'grant-pool', grantId: 'new', poolId: null, userId: 'u1', groupId: null }, 'grant_not_held'],
    ['a pool', { type: 'grant-pool', grantId: 'new', poolId: 'p1', userId: 'u1', groupId: null }, 'grant_not_held'],
    ['the password of one whose grants are all denied', update('u1', { password: true }), null],
    ['the password of one who holds nothing', update('u2', { password: true }), null],
  ])('%s', async (_, asked, expected) => {
    expect((await attempt(start, asked)).refused).toBe(expected);
  });

  it('opens no account that holds more than the actor: password, e-mail, kind, enabling', async () => {
    const unmasked = { ...start, userRoles: start.userRoles.filter((row) => row.roleId !== 'mask') };
    const locked = { ...unmasked, users: [user('boss', { kind: 'admin' }), user('u1', { enabled: false })] };
    for (const change of [{ password: true }, { email: true }, { kind: 'admin' }, { mustChangePassword: true }]) {
      expect((await attempt(unmasked, update('u1', change))).refused).toBe('grant_not_held');
    }
    expect((await attempt(locked, update('u1', { enabled: true }))).refused).toBe('grant_not_held');
    expect((await attempt(unmasked, update('u1', { enabled: false }))).refused).toBeNull();
  });

  it('lets only one who holds all of a catalog give it another name', async () => {
    const rename: PolicyCommand = {
      type: 'update-database',
      name: 'lake',
      defaultDatabase: 'other',
      defaultSchema: null,
      setup: false,
    };
    expect((await attempt(start, rename)).refused).toBe('grant_not_held');
    const everything = { effect: 'allow', catalog: '*', schema: '*', table: '*', verb: 'ALL' } as const;
    const holding = { ...start, permissions: [...start.permissions, { id: 'm4', roleId: 'mine', ...everything }] };
    expect((await attempt(holding, rename)).refused).toBeNull();
    expect((await attempt(start, { ...rename, defaultDatabase: 'LAKE' })).refused).toBeNull();
  });

  it('gives a pool back only by one who holds it', async () => {
    const off = { ...start, pools: start.pools.map((pool) => ({ ...pool, disabled: true })) };
    const switchPool: PolicyCommand = { type: 'switch-pool', database: 'lake', pool: 'bi', disabled: false };
    expect((await attempt(off, switchPool)).refused).toBe('grant_not_held');
    expect((await attempt(start, { ...switchPool, disabled: true })).refused).toBeNull();
    const held = { ...off, poolPermissions: [{ id: 'k', poolId: 'p1', userId: 'boss', groupId: null }] };
    expect((await attempt(held, switchPool)).refused).toBeNull();
  });

  it('compares a thousand profiles of 2,000 permissions each in seconds at most', async () => {
    const rows = (roleId: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        id: `${roleId}-${i}`,
        roleId,
        effect: 'allow' as const,
        catalog: 'lake',
        schema: 'x',
        table: `t${i}`,
        verb: 'RW' as const,
      }));
    const ids = ['big', 'same', ...Array.from({ length: 1000 }, (_, i) => `r${i}`)];
    const roles = ids.map((id) => ({ id, name: id, builtin: false }));
    const before: TenantState = {
      ...start,
      roles: [...start.roles, ...roles],
      permissions: [...start.permissions, ...rows('big', 2000), ...rows('same', 2000)],
    };
    const profiles = Array.from({ length: 1000 }, (_, i) => ({
      roles: ['big', `r${i}`],
      groups: ['g'],
      pools: [`p${i}`],
    }));
    const asked = { type: 'add-group-role', groupId: 'g', roleId: 'same' } as const;
    const events = decide(asked, before, { superuser: false, userId: 'boss' });
    const change = { before, after: events.reduce(evolve, before), events, actorId: 'boss' };
    // Of the processor, not by the clock: other specs run beside this one.
    const started = process.cpuUsage();
    await guardChange(change, () => Promise.resolve(profiles));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000);
  });

  it('does not look at users when the gain lies within the actor’s set', async () => {
    const events = decide(grant({}), start, { superuser: false, userId: 'boss' });
    const change = { before: start, after: events.reduce(evolve, start), events, actorId: 'boss' };
    const profiles = jest.fn();
    await guardChange(change, profiles);
    expect(profiles).not.toHaveBeenCalled();
  });

  it('refuses over the cap', async () => {
    const alone = { ...start, users: start.users.filter(({ id }) => id === 'boss') };
    const asked = { type: 'revoke-permission', permissionId: 'm3' } as const;
    const events = decide(asked, alone, { superuser: false, userId: 'boss' });
    const change = { before: alone, after: events.reduce(evolve, alone), events, actorId: 'boss' };
    await expect(guardChange(change, () => Promise.resolve(null))).rejects.toMatchObject({ code: 'change_too_broad' });
  });

  it('refuses a grant that the actor does not hold although nobody would gain it', async () => {
    const asked = grant({ roleId: 'empty', table: 'secret', verb: 'ALL' });
    const before = { ...start, roles: [...start.roles, { id: 'empty', name: 'empty', builtin: false }] };
    expect((await attempt(before, asked)).refused).toBe('grant_not_held');
  });

  it('folds own catalogs as the verdict does', () => {
    expect([...ownCatalogs(start)]).toEqual(['lake']);
  });
});
