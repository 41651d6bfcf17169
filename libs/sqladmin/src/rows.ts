import { explainedSet, foldName, type RolePermission, type TableTuple } from '@gadwall/rbac';
import { type Directory, idOf } from './directory';
import type { HolderName, PolicyFilter, ShowStatement } from './statement';

/** A column of a listing, with DuckDB's name of its type. */
export interface ListingColumn {
  name: string;
  type: 'VARCHAR' | 'BOOLEAN';
}

/** A result set; each row has a value for each column. */
export interface Listing {
  columns: readonly ListingColumn[];
  rows: readonly (readonly (string | boolean | null)[])[];
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const listing = (columns: readonly string[], rows: Listing['rows']): Listing => ({
  columns: columns.map((name) => ({ name, type: name === 'enabled' ? 'BOOLEAN' : 'VARCHAR' })),
  rows,
});

/**
 * What a SHOW statement answers, in the order of names. Source of the columns: qod-api.md 1.8.
 *
 * @throws DomainError `not_found` for a name that stands for nothing
 */
export function showRows(statement: ShowStatement, directory: Directory): Listing {
  const { state, accounts } = directory;
  switch (statement.type) {
    case 'show-roles':
      return named(state.roles, directory);
    case 'show-groups':
      return named(state.groups, directory);
    case 'show-users':
      return listing(
        ['id', 'username', 'kind', 'enabled', 'email'],
        [...accounts]
          .sort((a, b) => inOrder(a.username, b.username))
          .map(({ id, username, kind, enabled, email }) => [id, username, kind, enabled, email]),
      );
    case 'show-grants':
      return statement.of.kind === 'role'
        ? grantsOfRole(statement.of.name, directory)
        : grantsOfUser(statement.of.name, directory);
    case 'show-effective':
      return effectiveGrants(statement.user, directory);
    case 'show-pool-grants':
      return poolGrants(statement.holder, directory);
    case 'show-row-policies':
      return rowPolicies(statement, directory);
    case 'show-column-policies':
      return columnPolicies(statement, directory);
  }
}

function named(things: readonly { id: string; name: string }[], { descriptions }: Directory): Listing {
  const rows = [...things].sort((a, b) => inOrder(a.name, b.name));
  return listing(
    ['id', 'name', 'description'],
    rows.map(({ id, name }) => [id, name, descriptions?.get(id) ?? null]),
  );
}

const GRANT = ['id', 'catalog', 'schema', 'table', 'verb'];

const cells = ({ id, catalog, schema, table, verb }: RolePermission): string[] => [id, catalog, schema, table, verb];

/** In the order of places, so that a grant is found by the eye. */
const inPlaceOrder = (a: RolePermission, b: RolePermission): number =>
  inOrder(a.catalog, b.catalog) || inOrder(a.schema, b.schema) || inOrder(a.table, b.table) || inOrder(a.verb, b.verb);

function allowsOf(roleId: string, { state }: Directory): RolePermission[] {
  return state.permissions.filter((row) => row.roleId === roleId && row.effect === 'allow').sort(inPlaceOrder);
}

function grantsOfRole(role: string, directory: Directory): Listing {
  return listing(GRANT, allowsOf(idOf('role', role, directory), directory).map(cells));
}

/** Of the roles that the user holds directly; what groups bring is in the effective grants. */
function grantsOfUser(user: string, directory: Directory): Listing {
  const { roles } = explainedSet(directory.state, idOf('user', user, directory));
  return listing(
    ['role', ...GRANT],
    roles
      .filter(({ direct }) => direct)
      .flatMap(({ id, name }) => allowsOf(id, directory).map((row) => [name, ...cells(row)])),
  );
}

/** A row for each way in which a grant comes to the user: one grant by two groups is two rows. */
function effectiveGrants(user: string, directory: Directory): Listing {
  const { permissions } = explainedSet(directory.state, idOf('user', user, directory));
  return listing(
    ['role', 'group', 'catalog', 'schema', 'table', 'verb', 'effect'],
    permissions.flatMap(({ via, catalog, schema, table, verb, effect }) =>
      via.map(({ role = null, group = null }) => [role, group, catalog, schema, table, verb, effect]),
    ),
  );
}

const PLACE = ['role', 'catalog', 'schema', 'table'];

/** The policies that a filter lets through, each with its role's name, in the order of roles and places. */
function filtered<P extends TableTuple & { roleId: string }>(
  policies: readonly P[],
  { on, role }: PolicyFilter,
  directory: Directory,
): { policy: P; place: string[] }[] {
  const roleId = role === null ? null : idOf('role', role, directory);
  const names = new Map(directory.state.roles.map(({ id, name }) => [id, name]));
  const same = (a: string, b: string): boolean => foldName(a) === foldName(b);
  const placeOf = (policy: P): string[] => [
    names.get(policy.roleId) ?? '',
    ...[policy.catalog, policy.schema, policy.table],
  ];
  return policies
    .filter((policy) => roleId === null || policy.roleId === roleId)
    .filter(
      (policy) =>
        on === null ||
        (same(policy.catalog, on.catalog) && same(policy.schema, on.schema) && same(policy.table, on.table)),
    )
    .map((policy) => ({ policy, place: placeOf(policy) }))
    .sort((a, b) => inOrder(JSON.stringify(a.place), JSON.stringify(b.place)));
}

function rowPolicies(filter: PolicyFilter, directory: Directory): Listing {
  const rows = filtered(directory.state.rowPolicies, filter, directory);
  return listing(
    [...PLACE, 'predicate'],
    rows.map(({ policy, place }) => [...place, policy.predicateSql]),
  );
}

function columnPolicies(filter: PolicyFilter, directory: Directory): Listing {
  const rows = filtered(directory.state.columnPolicies, filter, directory).sort(
    (a, b) => inOrder(JSON.stringify(a.place), JSON.stringify(b.place)) || inOrder(a.policy.column, b.policy.column),
  );
  return listing(
    [...PLACE, 'column', 'action', 'transform'],
    rows.map(({ policy, place }) => [...place, policy.column, policy.action, policy.transformSql]),
  );
}

function poolGrants(holder: HolderName | null, directory: Directory): Listing {
  const { state, accounts } = directory;
  const holderId = holder === null ? null : idOf(holder.kind, holder.name, directory);
  const usernames = new Map(accounts.map(({ id, username }) => [id, username]));
  const groups = new Map(state.groups.map(({ id, name }) => [id, name]));
  const rows = state.poolPermissions
    .filter(({ userId, groupId }) => holderId === null || userId === holderId || groupId === holderId)
    .map(({ id, poolId, userId, groupId }) => [
      id,
      poolId,
      userId === null ? null : (usernames.get(userId) ?? null),
      groupId === null ? null : (groups.get(groupId) ?? null),
    ]);
  return listing(['id', 'poolId', 'user', 'group'], rows);
}
