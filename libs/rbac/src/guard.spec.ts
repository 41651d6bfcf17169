import { attempt, user } from '../../../test/support/policy-change';
import type { PolicyCommand } from './commands';
import { decide } from './decide';
import { ownCatalogs } from './effective-set';
import { guardChange } from './guard';
import type { TablePermission } from './model';
import { emptyTenant, evolve, type TenantState } from './state';

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

  describe('of policies', () => {
    const place = { catalog: 'lake', schema: 'main', table: 'secret' };
    const rows = (id: string, roleId: string, canonical: string) => ({
      ...{ id, roleId, ...place, predicateSql: canonical, canonical },
    });
    const masked = (id: string, roleId: string) => ({
      ...{ id, roleId, ...place, column: 'ssn', action: 'mask' as const, transformSql: 'NULL', canonical: 'NULL' },
    });
    /** u1 reads the table by one role and is restricted by another; boss does not read it. */
    const restricted: TenantState = {
      ...start,
      permissions: [
        { id: 'm2', roleId: 'theirs', effect: 'allow', ...place, verb: 'RO' },
        { id: 'm1', roleId: 'mine', effect: 'allow', catalog: 'lake', schema: 'main', table: 't', verb: 'RO' },
      ],
      columnPolicies: [masked('c', 'mask')],
      rowPolicies: [rows('w', 'mask', 'a')],
    };
    const reading = (effect: 'allow' | 'deny' = 'allow') => ({
      id: 'm9',
      roleId: 'mine',
      effect,
      ...place,
      verb: 'RO' as const,
    });
    const createRow = { type: 'create-row-policy', policyId: 'n', roleId: 'theirs', ...place } as const;
    const cases: [string, PolicyCommand][] = [
      ['a predicate beside another, which shows more rows', { ...createRow, predicateSql: 'b', canonical: 'b' }],
      ['a predicate changed', { type: 'update-row-policy', policyId: 'w', predicateSql: 'b', canonical: 'b' }],
      ['a predicate deleted', { type: 'delete-row-policy', policyId: 'w' }],
      ['a mask deleted', { type: 'delete-column-policy', policyId: 'c' }],
      [
        'a mask changed',
        { type: 'update-column-policy', policyId: 'c', action: 'deny', transformSql: null, canonical: null },
      ],
      ['the role with them taken away', { type: 'remove-user-role', userId: 'u1', roleId: 'mask' }],
      ['the role with them deleted', { type: 'delete-role', roleId: 'mask' }],
    ];

    it.each(cases)('%s, by one who does not read the table', async (_, asked) => {
      expect((await attempt(restricted, asked)).refused).toBe('grant_not_held');
    });

    it.each(cases)('%s, by one who reads it', async (_, asked) => {
      const able = { ...restricted, permissions: [...restricted.permissions, reading()] };
      expect((await attempt(able, asked)).refused).toBeNull();
    });

    it.each(cases)('%s, by one who reads it under a policy, or is denied it', async (_, asked) => {
      const under = {
        ...restricted,
        permissions: [...restricted.permissions, reading()],
        rowPolicies: [...restricted.rowPolicies, rows('w2', 'mine', 'mine alone')],
      };
      expect((await attempt(under, asked)).refused).toBe('grant_not_held');
      const denied = {
        ...restricted,
        permissions: [...restricted.permissions, reading(), { ...reading('deny'), id: 'm8' }],
      };
      expect((await attempt(denied, asked)).refused).toBe('grant_not_held');
    });

    it('a role through its group is one that one may lose too', async () => {
      const state = {
        ...restricted,
        userRoles: restricted.userRoles.filter(({ roleId }) => roleId !== 'mask'),
        groupRoles: [{ groupId: 'g', roleId: 'mask' }],
        userGroups: [{ userId: 'u1', groupId: 'g' }],
      };
      for (const asked of [
        { type: 'remove-user-group', userId: 'u1', groupId: 'g' } as const,
        { type: 'remove-group-role', groupId: 'g', roleId: 'mask' } as const,
        { type: 'delete-group', groupId: 'g' } as const,
      ]) {
        expect((await attempt(state, asked)).refused).toBe('grant_not_held');
      }
    });

    it('a role with a policy may be given to one who has none on its tables: that takes away', async () => {
      const free = { ...restricted, userRoles: restricted.userRoles.filter(({ roleId }) => roleId !== 'mask') };
      expect((await attempt(free, { type: 'add-user-role', userId: 'u1', roleId: 'mask' })).refused).toBeNull();
      const other = { ...restricted, rowPolicies: [...restricted.rowPolicies, rows('w2', 'mine', 'b')] };
      const give: PolicyCommand = { type: 'add-user-role', userId: 'u1', roleId: 'mine' };
      expect((await attempt(other, give)).refused).toBe('grant_not_held');
    });

    it('one who is under a policy gives nobody the table, and opens the accounts of those under the same ones alone', async () => {
      const under = {
        ...restricted,
        permissions: [...restricted.permissions, reading()],
        userRoles: [...restricted.userRoles, { userId: 'boss', roleId: 'mask' }],
      };
      expect((await attempt(under, grant({ table: 'secret', roleId: 'mask' }))).refused).toBe('grant_not_held');
      expect((await attempt(under, update('u1', { password: true }))).refused).toBeNull();
      const freed = {
        ...under,
        userRoles: under.userRoles.filter((row) => row.userId !== 'u1' || row.roleId !== 'mask'),
      };
      expect((await attempt(freed, update('u1', { password: true }))).refused).toBe('grant_not_held');
    });

    it('a policy on another table does not matter', async () => {
      const elsewhere = {
        ...restricted,
        rowPolicies: [...restricted.rowPolicies, { ...rows('w2', 'theirs', 'a'), table: 't' }],
      };
      expect((await attempt(elsewhere, { type: 'delete-row-policy', policyId: 'w2' })).refused).toBeNull();
    });
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

  it('counts the schema as a whole to what a deny of DDL on a table keeps from its holders', async () => {
    const ddl = { catalog: 'lake', schema: 'main', verb: 'DDL' } as const;
    const state: TenantState = {
      ...start,
      permissions: [
        { id: 'm4', roleId: 'theirs', effect: 'allow', table: '*', ...ddl },
        { id: 'm5', roleId: 'mask', effect: 'deny', table: 't', ...ddl },
        { id: 'm6', roleId: 'mine', effect: 'allow', table: 't', ...ddl },
      ],
    };
    const revoke: PolicyCommand = { type: 'revoke-permission', permissionId: 'm5' };
    expect((await attempt(state, revoke)).refused).toBe('grant_not_held');
    const holding = { id: 'm7', roleId: 'mine', effect: 'allow', table: '*', ...ddl } as const;
    expect((await attempt({ ...state, permissions: [...state.permissions, holding] }, revoke)).refused).toBeNull();
  });

  it('sees that a deny on every catalog keeps from foreign ones too, which an allow on every catalog does not reach', async () => {
    const any = { catalog: '*', schema: '*', table: '*', verb: 'RO' } as const;
    const state: TenantState = {
      ...start,
      permissions: [
        { id: 'm4', roleId: 'theirs', effect: 'allow', ...any, catalog: 'globex' },
        { id: 'm5', roleId: 'mask', effect: 'deny', ...any },
        { id: 'm6', roleId: 'mine', effect: 'allow', ...any },
      ],
    };
    const revoke: PolicyCommand = { type: 'revoke-permission', permissionId: 'm5' };
    expect((await attempt(state, revoke)).refused).toBe('grant_not_held');
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

  it('compares a thousand profiles, each under policies of its own, in a second or two', async () => {
    const on = (i: number) => ({ catalog: 'lake', schema: 'x', table: `t${i}` });
    const masked = (id: string, roleId: string, table: number) => ({
      ...{ id, roleId, ...on(table), column: 'c', action: 'mask' as const, transformSql: 'NULL', canonical: 'NULL' },
    });
    const ids = Array.from({ length: 1000 }, (_, i) => `r${i}`);
    const before: TenantState = {
      ...start,
      roles: [...start.roles, ...['big', ...ids].map((id) => ({ id, name: id, builtin: false }))],
      permissions: [
        ...start.permissions,
        ...ids.map((id, i) => ({ id, roleId: 'big', effect: 'allow' as const, ...on(i), verb: 'RO' as const })),
      ],
      columnPolicies: [
        ...ids.map((id, i) => masked(`c${i}`, id, i)),
        ...ids.slice(500, 800).map((id, i) => masked(`own ${id}`, 'mine', i + 500)),
      ],
    };
    const profiles = ids.map((id) => ({ roles: ['big', id], groups: [], pools: [] }));
    const events = decide({ type: 'delete-column-policy', policyId: 'c1' }, before, {
      superuser: false,
      userId: 'boss',
    });
    const change = { before, after: events.reduce(evolve, before), events, actorId: 'boss' };
    const started = process.cpuUsage();
    await guardChange(change, () => Promise.resolve(profiles));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
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
