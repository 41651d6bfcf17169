import fc from 'fast-check';
import { setDigest } from './digest';
import { effectiveSet, explainedSet, profileOf } from './effective-set';
import { emptyTenant, type TenantState } from './state';

const allow = { effect: 'allow', schema: 'main', verb: 'RO' } as const;

/** ana: analyst by her own edge, loader through the group staff, which also brings the pool etl; bi is hers. */
const state: TenantState = {
  ...emptyTenant('acme'),
  databases: ['Lake', 'attic'].map((name) => ({
    id: name,
    name,
    kind: 'memory',
    defaultDatabase: name,
    defaultSchema: 'main',
    dataPath: null,
    setupVersion: null,
  })),
  pools: ['etl', 'bi', 'other'].map((id) => ({
    id,
    databaseId: 'Lake',
    name: id,
    size: 1,
    disabled: false,
    stopped: false,
  })),
  roles: ['loader', 'analyst', 'unused'].map((id) => ({ id, name: id, builtin: false })),
  groups: ['staff', 'empty'].map((id) => ({ id, name: id, builtin: false })),
  permissions: [
    { id: '1', roleId: 'loader', catalog: 'lake', table: 'orders', ...allow },
    { id: '2', roleId: 'analyst', catalog: 'LAKE', table: 'Orders', ...allow },
    { id: '3', roleId: 'analyst', catalog: 'lake', table: 'customer', ...allow },
    { id: '4', roleId: 'unused', catalog: 'lake', table: 'secret', ...allow },
  ],
  groupRoles: [
    { groupId: 'staff', roleId: 'loader' },
    { groupId: 'empty', roleId: 'unused' },
  ],
  poolPermissions: [
    { id: 'k1', poolId: 'etl', userId: null, groupId: 'staff' },
    { id: 'k2', poolId: 'bi', userId: 'ana', groupId: null },
    { id: 'k3', poolId: 'other', userId: 'bob', groupId: null },
  ],
  macros: [
    { id: 'a2', catalog: 'LAKE', schema: 'main', name: 'upper' },
    { id: 'a1', catalog: 'lake', schema: 'Main', name: 'Net' },
  ],
  secureViews: [
    { id: 'w2', catalog: 'Lake', schema: 'main', name: 'Top', body: 'SELECT 2', columns: ['2'], bases: [] },
    {
      id: 'w1',
      catalog: 'lake',
      schema: 'main',
      name: 'some',
      body: 'SELECT id FROM lake.main.t',
      columns: ['id'],
      bases: [{ catalog: 'lake', schema: 'main', name: 't', kind: 'table' }],
    },
  ],
  users: [],
  userRoles: [
    { userId: 'ana', roleId: 'analyst' },
    { userId: 'bob', roleId: 'unused' },
  ],
  userGroups: [{ userId: 'ana', groupId: 'staff' }],
};

const setOf = (from: TenantState, user = 'ana') => effectiveSet(from, user, profileOf(from, user));

describe('the EffectiveSet', () => {
  it('is the closure over own and group edges, sorted, each permission once', () => {
    expect(setOf(state)).toEqual({
      username: 'ana',
      tenant: 'acme',
      roles: ['analyst', 'loader'],
      groups: ['staff'],
      pools: ['bi', 'etl'],
      permissions: [
        { effect: 'allow', catalog: 'lake', schema: 'main', table: 'customer', verb: 'RO' },
        { effect: 'allow', catalog: 'lake', schema: 'main', table: 'orders', verb: 'RO' },
      ],
      columnPolicies: [],
      rowPolicies: [],
      aclMode: 'grants',
      catalogs: ['attic', 'lake'],
      macros: [
        { catalog: 'lake', schema: 'main', name: 'net' },
        { catalog: 'lake', schema: 'main', name: 'upper' },
      ],
      secureViews: [
        {
          catalog: 'lake',
          schema: 'main',
          name: 'some',
          body: 'SELECT id FROM lake.main.t',
          columns: ['id'],
          bases: [{ catalog: 'lake', schema: 'main', name: 't', kind: 'table' }],
        },
        { catalog: 'lake', schema: 'main', name: 'top', body: 'SELECT 2', columns: ['2'], bases: [] },
      ],
    });
  });

  it('is the same whatever order the rows come in', () => {
    const shuffled = fc.record({
      permissions: fc.shuffledSubarray([...state.permissions], { minLength: state.permissions.length }),
      roles: fc.shuffledSubarray([...state.roles], { minLength: state.roles.length }),
      pools: fc.shuffledSubarray([...state.pools], { minLength: state.pools.length }),
      databases: fc.shuffledSubarray([...state.databases], { minLength: state.databases.length }),
      macros: fc.shuffledSubarray([...state.macros], { minLength: state.macros.length }),
      secureViews: fc.shuffledSubarray([...state.secureViews], { minLength: state.secureViews.length }),
    });
    fc.assert(fc.property(shuffled, (rows) => expect(setOf({ ...state, ...rows })).toEqual(setOf(state))));
  });

  it('knows a grant of every pool', () => {
    const all = { id: 'k4', poolId: null, userId: null, groupId: 'staff' };
    expect(setOf({ ...state, poolPermissions: [...state.poolPermissions, all] }).pools).toBe('*');
  });

  it('has another digest with a macro more', () => {
    const less = { ...state, macros: state.macros.slice(1) };
    expect(setDigest(setOf(less, 'bob'))).not.toBe(setDigest(setOf(state, 'bob')));
    const again = { ...state, macros: [...state.macros, { id: 'a3', catalog: 'Lake', schema: 'MAIN', name: 'NET' }] };
    expect(setDigest(setOf(again, 'bob'))).toBe(setDigest(setOf(state, 'bob')));
  });

  it('has another digest when a secure view stands for something else', () => {
    const [first, ...others] = state.secureViews;
    const changed = { ...state, secureViews: [{ ...first!, body: 'SELECT 3' }, ...others] };
    expect(setDigest(setOf(changed, 'bob'))).not.toBe(setDigest(setOf(state, 'bob')));
    expect(setDigest(setOf({ ...state, secureViews: others }, 'bob'))).not.toBe(setDigest(setOf(state, 'bob')));
  });

  describe('policies', () => {
    const place = { catalog: 'LAKE', schema: 'main', table: 'Customer' };
    const mask = (id: string, roleId: string, canonical: string | null) => ({
      ...{ id, roleId, ...place, column: 'Phone', transformSql: canonical && ` ${canonical} `, canonical },
      action: canonical === null ? ('deny' as const) : ('mask' as const),
    });
    const row = { id: 'w', roleId: 'loader', ...place, table: '*', predicateSql: 'A', canonical: 'a' };
    const governed: TenantState = {
      ...state,
      columnPolicies: [mask('c1', 'loader', 'NULL'), mask('c2', 'analyst', `'***'`), mask('c3', 'unused', null)],
      rowPolicies: [row, { ...row, id: 'w2', catalog: 'lake' }],
    };

    it('are those of the roles, folded, in canonical form, each once, with the role', () => {
      const folded = { catalog: 'lake', schema: 'main', table: 'customer', column: 'phone', action: 'mask' };
      expect(setOf(governed)).toMatchObject({
        columnPolicies: [
          { ...folded, transformSql: `'***'`, role: 'analyst' },
          { ...folded, transformSql: 'NULL', role: 'loader' },
        ],
        rowPolicies: [{ catalog: 'lake', schema: 'main', table: '*', predicateSql: 'a', role: 'loader' }],
      });
      const backwards = {
        ...governed,
        columnPolicies: [...governed.columnPolicies].reverse(),
        rowPolicies: [...governed.rowPolicies].reverse(),
      };
      expect(setDigest(setOf(backwards))).toBe(setDigest(setOf(governed)));
    });

    it('of others leave the digest as it was, and one’s own move it', () => {
      expect(setDigest(setOf(governed, 'nobody'))).toBe(setDigest(setOf(state, 'nobody')));
      expect(setDigest(setOf(governed))).not.toBe(setDigest(setOf(state)));
    });

    it('are left out by the switches of the installation, each kind by its own', () => {
      const made = (columnPolicies: boolean, rowPolicies: boolean) =>
        effectiveSet(governed, 'ana', profileOf(governed, 'ana'), { columnPolicies, rowPolicies });
      expect(made(false, false)).toEqual(setOf(state));
      expect(made(false, true)).toMatchObject({ columnPolicies: [], rowPolicies: [{}] });
      expect(made(true, false)).toMatchObject({ columnPolicies: [{}, {}], rowPolicies: [] });
    });

    it('are told with the way they came and where they contradict each other', () => {
      const explained = explainedSet(governed, 'ana');
      expect(explained.columnPolicies.map(({ id, via }) => [id, via])).toEqual([
        ['c2', [{ role: 'analyst' }]],
        ['c1', [{ role: 'loader', group: 'staff' }]],
      ]);
      expect(explained.rowPolicies.map(({ id }) => id)).toEqual(['w', 'w2']);
      expect(explained.conflicts).toEqual([
        { catalog: 'lake', schema: 'main', table: 'customer', column: 'phone', roles: ['analyst', 'loader'] },
      ]);
    });
  });

  it('of one with no edges is empty', () => {
    expect(setOf(state, 'nobody')).toMatchObject({ roles: [], groups: [], pools: [], permissions: [] });
  });

  it('tells what gave each part', () => {
    const explained = explainedSet(state, 'ana');
    expect(explained.roles).toEqual([
      { id: 'analyst', name: 'analyst', direct: true, groups: [] },
      { id: 'loader', name: 'loader', direct: false, groups: ['staff'] },
    ]);
    expect(explained.permissions.map(({ id, via }) => [id, via])).toEqual([
      ['2', [{ role: 'analyst' }]],
      ['3', [{ role: 'analyst' }]],
      ['1', [{ role: 'loader', group: 'staff' }]],
    ]);
    expect(explained.pools).toEqual([
      { grantId: 'k1', poolId: 'etl', pool: 'etl', via: { group: 'staff' } },
      { grantId: 'k2', poolId: 'bi', pool: 'bi', via: {} },
    ]);
  });
});
