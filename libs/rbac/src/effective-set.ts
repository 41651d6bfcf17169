import { foldName } from './fold';
import { type HeldPolicy, heldColumnPolicy, heldRowPolicy } from './held-policy';
import type { ColumnPolicy, EffectiveSet, MacroName, OfRole, RowPolicy, SecureView, TablePermission } from './model';
import { maskConflicts, type MaskConflict } from './policies';
import type { OwnCatalogs, Reach } from './reach';
import type { RoleColumnPolicy, RoleRowPolicy, TenantState } from './state';

/** The edges and own pool grants of one principal; users with equal profiles reach the same. */
export interface Profile {
  roles: readonly string[];
  groups: readonly string[];
  /** Pool ids granted to the user alone; null = every pool. */
  pools: readonly (string | null)[];
}

/** The profile of a user whose edges were loaded into the state. */
export function profileOf(state: TenantState, userId: string): Profile {
  return {
    roles: state.userRoles.filter((row) => row.userId === userId).map((row) => row.roleId),
    groups: state.userGroups.filter((row) => row.userId === userId).map((row) => row.groupId),
    pools: state.poolPermissions.filter((row) => row.userId === userId).map((row) => row.poolId),
  };
}

/** The ids of all roles of a profile: its own and those of its groups (seed 000, "The EffectiveSet"). */
export function roleIdsOf(state: TenantState, profile: Profile): Set<string> {
  const known = new Set(state.roles.map((role) => role.id));
  const groups = new Set(profile.groups);
  const viaGroups = state.groupRoles.filter((row) => groups.has(row.groupId)).map((row) => row.roleId);
  return new Set([...profile.roles, ...viaGroups].filter((id) => known.has(id)));
}

/** The pools of a profile, by its own grants and its groups'. */
export function poolsOf(state: TenantState, profile: Profile): '*' | string[] {
  const groups = new Set(profile.groups);
  const viaGroups = state.poolPermissions.filter((row) => row.groupId !== null && groups.has(row.groupId));
  const pools = new Set([...profile.pools, ...viaGroups.map((row) => row.poolId)]);
  if (pools.has(null)) return '*';
  const known = new Set(state.pools.map((pool) => pool.id));
  return [...pools].filter((id) => id !== null && known.has(id)).sort() as string[];
}

/** What a profile reaches in a state of the tenant. */
export function reachOf(state: TenantState, profile: Profile): Reach {
  const roles = roleIdsOf(state, profile);
  return {
    permissions: state.permissions.filter((row) => roles.has(row.roleId)),
    pools: poolsOf(state, profile),
    policies: heldPolicies(state, roles),
  };
}

/** The policies of these roles, as reaches compare them. */
export function heldPolicies(state: TenantState, roles: ReadonlySet<string>): HeldPolicy[] {
  return [
    ...state.columnPolicies.filter((row) => roles.has(row.roleId)).map(heldColumnPolicy),
    ...state.rowPolicies.filter((row) => roles.has(row.roleId)).map(heldRowPolicy),
  ];
}

/** The catalogs that a wildcard reaches: those of the tenant's own databases, folded. */
export function ownCatalogs(state: TenantState): OwnCatalogs {
  return new Set(state.databases.map((database) => foldName(database.defaultDatabase)));
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const permissionKey = (row: TablePermission): string =>
  JSON.stringify([row.effect, row.catalog, row.schema, row.table, row.verb]);

/** Sorted, each once whatever the spelling, and nothing in them that a verdict does not depend on. */
function canonicalPermissions(rows: readonly TablePermission[]): TablePermission[] {
  const byKey = new Map<string, TablePermission>();
  for (const { effect, catalog, schema, table, verb } of rows) {
    const folded = {
      effect,
      catalog: foldName(catalog),
      schema: foldName(schema),
      table: foldName(table),
      verb,
    };
    byKey.set(permissionKey(folded), folded);
  }
  return [...byKey].sort(([a], [b]) => inOrder(a, b)).map(([, permission]) => permission);
}

/** Each once whatever the spelling, sorted by all that is in it. */
function distinct<P>(policies: readonly P[]): P[] {
  const byKey = new Map(policies.map((policy) => [JSON.stringify(policy), policy]));
  return [...byKey].sort(([a], [b]) => inOrder(a, b)).map(([, policy]) => policy);
}

/** The column policies of roles, expressions in their canonical form. */
function columnPoliciesOf(state: TenantState, roles: ReadonlySet<string>): OfRole<ColumnPolicy>[] {
  const rows = state.columnPolicies.filter((row) => roles.has(row.roleId));
  const name = roleNames(state);
  return distinct(
    rows.map(({ roleId, catalog, schema, table, column, action, canonical }) => ({
      catalog: foldName(catalog),
      schema: foldName(schema),
      table: foldName(table),
      column: foldName(column),
      action,
      transformSql: canonical,
      role: name(roleId),
    })),
  );
}

function rowPoliciesOf(state: TenantState, roles: ReadonlySet<string>): OfRole<RowPolicy>[] {
  const rows = state.rowPolicies.filter((row) => roles.has(row.roleId));
  const name = roleNames(state);
  return distinct(
    rows.map(({ roleId, catalog, schema, table, canonical }) => ({
      catalog: foldName(catalog),
      schema: foldName(schema),
      table: foldName(table),
      predicateSql: canonical,
      role: name(roleId),
    })),
  );
}

function roleNames(state: TenantState): (roleId: string) => string {
  const names = new Map(state.roles.map(({ id, name }) => [id, name]));
  return (roleId) => names.get(roleId) ?? '';
}

/** Sorted, each once whatever the spelling. */
function canonicalMacros(rows: readonly MacroName[]): MacroName[] {
  const byKey = new Map<string, MacroName>();
  for (const { catalog, schema, name } of rows) {
    const folded = { catalog: foldName(catalog), schema: foldName(schema), name: foldName(name) };
    byKey.set(JSON.stringify([folded.catalog, folded.schema, folded.name]), folded);
  }
  return [...byKey].sort(([a], [b]) => inOrder(a, b)).map(([, macro]) => macro);
}

/** Names are one whatever their case, so each is there once. */
function canonicalViews(rows: readonly SecureView[]): SecureView[] {
  const views = rows.map(({ catalog, schema, name, body, columns, bases }) => ({
    catalog: foldName(catalog),
    schema: foldName(schema),
    name: foldName(name),
    body,
    columns: [...columns],
    bases: bases.map((base) => ({ catalog: base.catalog, schema: base.schema, name: base.name, kind: base.kind })),
  }));
  const key = ({ catalog, schema, name }: SecureView): string => JSON.stringify([catalog, schema, name]);
  return views.sort((a, b) => inOrder(key(a), key(b)));
}

/** The set of a superuser: no grants, for both gates are passed without (seed 000, "Superusers"). */
export function superuserSet(username: string): EffectiveSet {
  return {
    username,
    tenant: null,
    roles: [],
    groups: [],
    pools: '*',
    permissions: [],
    columnPolicies: [],
    rowPolicies: [],
    aclMode: 'grants',
    catalogs: [],
    macros: [],
    secureViews: [],
  };
}

/** Whether the policies of each kind are in force on the whole installation (seed 000, "Kill switch"). */
export interface PolicySwitches {
  columnPolicies: boolean;
  rowPolicies: boolean;
}

const ENFORCED: PolicySwitches = { columnPolicies: true, rowPolicies: true };

/**
 * The closure of a tenant user's edges over the tenant's graph. Equal content gives equal sets, in whatever order rows
 * came. Source: seed 000, "The EffectiveSet".
 */
export function effectiveSet(
  state: TenantState,
  username: string,
  profile: Profile,
  switches: PolicySwitches = ENFORCED,
): EffectiveSet {
  const roles = roleIdsOf(state, profile);
  const groups = new Set(profile.groups);
  const pools = poolsOf(state, profile);
  const names = (rows: readonly { id: string; name: string }[], ids: ReadonlySet<string>): string[] =>
    rows
      .filter((row) => ids.has(row.id))
      .map((row) => row.name)
      .sort(inOrder);
  return {
    username,
    tenant: state.tenant,
    roles: names(state.roles, roles),
    groups: names(state.groups, groups),
    pools,
    permissions: canonicalPermissions(state.permissions.filter((row) => roles.has(row.roleId))),
    columnPolicies: switches.columnPolicies ? columnPoliciesOf(state, roles) : [],
    rowPolicies: switches.rowPolicies ? rowPoliciesOf(state, roles) : [],
    aclMode: 'grants',
    catalogs: [...ownCatalogs(state)].sort(inOrder),
    macros: canonicalMacros(state.macros),
    secureViews: canonicalViews(state.secureViews),
  };
}

/** The way by which something came to a user: the group when it came through one. */
export interface Via {
  role?: string;
  group?: string;
}

/** A closure with what gave each part of it. */
export interface ExplainedSet {
  /** A role with the groups that bring it; `direct` when the user has it by their own edge. */
  roles: { id: string; name: string; direct: boolean; groups: string[] }[];
  groups: { id: string; name: string }[];
  /** `poolId` null = every pool. */
  pools: { grantId: string; poolId: string | null; pool: string | null; via: Via }[];
  permissions: (TablePermission & { id: string; roleId: string; via: Via[] })[];
  columnPolicies: (RoleColumnPolicy & { via: Via[] })[];
  rowPolicies: (RoleRowPolicy & { via: Via[] })[];
  /** Where masks contradict each other, so that the column shows as NULL. */
  conflicts: MaskConflict[];
}

/** The closure of a user's edges with its provenance: which role, through which group, gave each permission and pool. */
export function explainedSet(state: TenantState, userId: string): ExplainedSet {
  const profile = profileOf(state, userId);
  const groups = state.groups.filter((group) => profile.groups.includes(group.id));
  const roles = state.roles
    .map((role) => ({
      id: role.id,
      name: role.name,
      direct: profile.roles.includes(role.id),
      groups: groups
        .filter((group) => state.groupRoles.some((row) => row.groupId === group.id && row.roleId === role.id))
        .map((group) => group.name)
        .sort(inOrder),
    }))
    .filter((role) => role.direct || role.groups.length > 0)
    .sort((a, b) => inOrder(a.name, b.name));
  const viaOf = (role: (typeof roles)[number]): Via[] => [
    ...(role.direct ? [{ role: role.name }] : []),
    ...role.groups.map((group) => ({ role: role.name, group })),
  ];
  const of = <R extends { roleId: string }>(rows: readonly R[]): (R & { via: Via[] })[] =>
    roles.flatMap((role) =>
      rows.filter(({ roleId }) => roleId === role.id).map((row) => ({ ...row, via: viaOf(role) })),
    );
  return {
    roles,
    groups: groups.map(({ id, name }) => ({ id, name })).sort((a, b) => inOrder(a.name, b.name)),
    pools: explainedPools(state, userId, groups),
    permissions: of(state.permissions),
    columnPolicies: of(state.columnPolicies),
    rowPolicies: of(state.rowPolicies),
    conflicts: maskConflicts(columnPoliciesOf(state, new Set(roles.map(({ id }) => id)))),
  };
}

function explainedPools(
  state: TenantState,
  userId: string,
  groups: readonly { id: string; name: string }[],
): ExplainedSet['pools'] {
  return state.poolPermissions.flatMap((row) => {
    const group = groups.find((candidate) => candidate.id === row.groupId);
    if (row.userId !== userId && group === undefined) return [];
    const pool = state.pools.find((candidate) => candidate.id === row.poolId);
    const via = group === undefined ? {} : { group: group.name };
    return [{ grantId: row.id, poolId: row.poolId, pool: pool?.name ?? null, via }];
  });
}
