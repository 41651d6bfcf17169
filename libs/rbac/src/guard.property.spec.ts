import fc from 'fast-check';
import { attempt, user } from '../../../test/support/policy-change';
import type { PolicyCommand } from './commands';
import { profileOf, reachOf, roleIdsOf } from './effective-set';
import type { AccessClass, TablePermission, Verb } from './model';
import type { Reach } from './reach';
import { emptyTenant, type RoleColumnPolicy, type RoleRowPolicy, type TenantState } from './state';

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

const COLUMNS = ['c1', 'c2'];
/** A predicate admits the row of its name, a mask shows the view of its name; the raw value shows them all. */
const ROWS = ['p1', 'p2', 'another'];
const VIEWS = ['m1', 'm2', 'raw'];

interface Policies {
  columns: readonly RoleColumnPolicy[];
  rows: readonly RoleRowPolicy[];
}

const stars = (row: RoleColumnPolicy): number =>
  [row.catalog, row.schema, row.table].filter((name) => name === '*').length;

/** Which views of which columns of which rows are to be had of a table: the plain meaning of policies. */
function visible({ columns, rows }: Policies, catalog: string, schema: string, table: string): string[] {
  const on = (row: { catalog: string; schema: string; table: string }): boolean =>
    (row.catalog === '*' ? OWN.includes(catalog) : row.catalog === catalog) &&
    ['*', schema].includes(row.schema) &&
    ['*', table].includes(row.table);
  const filters = rows.filter(on).map(({ canonical }) => canonical);
  const seen = filters.length === 0 ? ROWS : ROWS.filter((row) => filters.includes(row));
  return COLUMNS.flatMap((column) => {
    const policies = columns.filter((row) => row.column === column && on(row));
    const shown = new Set<string | null>();
    for (const role of new Set(policies.map(({ roleId }) => roleId))) {
      const own = policies.filter(({ roleId }) => roleId === role);
      const fewest = Math.min(...own.map(stars));
      for (const row of own) if (row.action === 'deny' || stars(row) === fewest) shown.add(row.canonical);
    }
    const [only] = [...shown];
    const views = shown.size === 0 ? VIEWS : shown.size === 1 && only !== null ? [only as string] : [];
    return seen.flatMap((row) => [`${row} there`, ...views.map((view) => `${row} ${column} ${view}`)]);
  });
}

/** Every single access that a reach gives, written out: the plain meaning of grants, against which the guard is held. */
function accesses(reach: Reach, policies: Policies, pools: readonly string[]): Set<string> {
  const given = new Set<string>();
  const matching = (row: TablePermission, catalog: string, schema: string, table: string): boolean => {
    const anyCatalog = row.catalog === '*' && (row.effect === 'deny' || OWN.includes(catalog));
    const anyTable = row.table === '*' || (row.effect === 'deny' && table === '*');
    return (
      (anyCatalog || row.catalog === catalog) && ['*', schema].includes(row.schema) && (anyTable || row.table === table)
    );
  };
  // `zz` stands for every name that no grant mentions, `*` for the schema as a whole, which DDL alone reaches.
  for (const catalog of CATALOGS) {
    for (const schema of [...SCHEMAS, 'zz']) {
      for (const table of [...TABLES, 'zz', '*']) {
        for (const access of table === '*' ? (['Ddl'] as const) : (['Read', 'Write', 'Ddl'] as const)) {
          const rows = reach.permissions.filter(
            (row) => CLASSES[row.verb].includes(access) && matching(row, catalog, schema, table),
          );
          const denied = rows.some((row) => row.effect === 'deny');
          if (rows.length === 0 || denied) continue;
          const parts = access === 'Ddl' ? [''] : visible(policies, catalog, schema, table);
          for (const of of parts) given.add(`${catalog}.${schema}.${table}:${access} ${of}`);
        }
      }
    }
  }
  for (const pool of [...pools, 'pool to come']) {
    if (reach.pools === '*' || reach.pools.includes(pool)) given.add(`pool ${pool}`);
  }
  return given;
}

function accessesOf(state: TenantState, userId: string): Set<string> {
  if (!state.users.some((user) => user.id === userId && user.enabled)) return new Set();
  const profile = profileOf(state, userId);
  const roles = roleIdsOf(state, profile);
  const policies = {
    columns: state.columnPolicies.filter(({ roleId }) => roles.has(roleId)),
    rows: state.rowPolicies.filter(({ roleId }) => roles.has(roleId)),
  };
  return accesses(
    reachOf(state, profile),
    policies,
    state.pools.map((pool) => pool.id),
  );
}

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
const tuple = { catalog: pattern(CATALOGS), schema: pattern(SCHEMAS), table: pattern(TABLES) };
const columnRule = fc.constantFrom('m1', 'm2', null).map((canonical) => ({
  action: canonical === null ? ('deny' as const) : ('mask' as const),
  transformSql: canonical,
  canonical,
}));
const rowRule = fc.constantFrom('p1', 'p2').map((canonical) => ({ predicateSql: canonical, canonical }));
const columnPolicy = fc
  .tuple(fc.record({ ...tuple, column: fc.constantFrom(...COLUMNS) }), columnRule)
  .map(([place, rule]) => ({ ...place, ...rule }));
const rowPolicy = fc.tuple(fc.record(tuple), rowRule).map(([place, rule]) => ({ ...place, ...rule }));
const ofRoles = <P>(policy: fc.Arbitrary<P>) => fc.array(fc.tuple(fc.constantFrom(...ROLES), policy), { maxLength: 3 });
const edges = <A, B>(a: readonly A[], b: readonly B[]) =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...a), fc.constantFrom(...b)), {
    selector: (edge) => edge.join(),
    maxLength: a.length * b.length,
  });

const graph: fc.Arbitrary<TenantState> = fc
  .record({
    permissions: fc.array(fc.tuple(fc.constantFrom(...ROLES), permission), { maxLength: 6 }),
    columnPolicies: ofRoles(columnPolicy),
    rowPolicies: ofRoles(rowPolicy),
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
  .map(({ permissions, columnPolicies, rowPolicies, groupRoles, userRoles, userGroups, grants, disabled }) => ({
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
    columnPolicies: columnPolicies.map(([roleId, row], i) => ({ id: `c${i}`, roleId, ...row })),
    rowPolicies: rowPolicies.map(([roleId, row], i) => ({ id: `w${i}`, roleId, ...row })),
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
  fc
    .tuple(role, columnPolicy)
    .map(([roleId, row]) => ({ type: 'create-column-policy' as const, policyId: 'new', roleId, ...row })),
  fc
    .tuple(fc.constantFrom('c0', 'c1', 'c2'), columnRule)
    .map(([policyId, rule]) => ({ type: 'update-column-policy' as const, policyId, ...rule })),
  fc.constantFrom('c0', 'c1', 'c2').map((policyId) => ({ type: 'delete-column-policy' as const, policyId })),
  fc
    .tuple(role, rowPolicy)
    .map(([roleId, row]) => ({ type: 'create-row-policy' as const, policyId: 'new', roleId, ...row })),
  fc
    .tuple(fc.constantFrom('w0', 'w1', 'w2'), rowRule)
    .map(([policyId, rule]) => ({ type: 'update-row-policy' as const, policyId, ...rule })),
  fc.constantFrom('w0', 'w1', 'w2').map((policyId) => ({ type: 'delete-row-policy' as const, policyId })),
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
          columnPolicies: graphOfOthers.columnPolicies.filter((row) => row.catalog !== 'federated'),
          rowPolicies: graphOfOthers.rowPolicies.filter((row) => row.catalog !== 'federated'),
          // Nor does one hold everything who is under a policy.
          userRoles: [
            ...graphOfOthers.userRoles.filter(({ userId }) => userId !== 'boss'),
            { userId: 'boss', roleId: 'all' },
          ],
          userGroups: graphOfOthers.userGroups.filter(({ userId }) => userId !== 'boss'),
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
