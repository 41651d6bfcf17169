import {
  DomainError,
  foldName,
  type MembershipCommand,
  type PolicyCommand,
  type PoolPermissionCommand,
  type RolePermission,
  type SecureView,
} from '@gadwall/rbac';
import { type Directory, findId, holderIds, idOf, poolIdOf } from './directory';
import { createdPolicy, droppedPolicy } from './policies';
import { createdSecureView, droppedSecureView } from './secure-views';
import type { ChangeStatement, Of, TableRef, UserChange } from './statement';

/**
 * The commands that a statement stands for, the very ones that REST makes; none when there is nothing to do. All of them
 * belong in one transaction.
 *
 * @param newId gives the id of what is made
 * @param canonical of the expression that {@link expressionOf} gives, when it has passed its check
 * @param made the secure view of the statement, as a node has made it
 * @throws DomainError `not_found` for a name that stands for nothing, or a grant or policy that is not held;
 *   `invalid_policy` for one that is there already and is not to be replaced
 */
export function commandsOf(
  statement: ChangeStatement,
  directory: Directory,
  newId: () => string,
  canonical: string | null = null,
  made: SecureView | null = null,
): PolicyCommand[] {
  switch (statement.type) {
    case 'create-role':
      return [{ type: 'create-role', roleId: newId(), name: statement.name, description: null }];
    case 'create-group':
      return [{ type: 'create-group', groupId: newId(), name: statement.name, description: null }];
    case 'drop-role':
      return dropped('role', statement, directory).map((roleId) => ({ type: 'delete-role', roleId }));
    case 'drop-group':
      return dropped('group', statement, directory).map((groupId) => ({ type: 'delete-group', groupId }));
    case 'drop-user':
      return dropped('user', statement, directory).map((userId) => ({ type: 'delete-user', userId }));
    case 'grant-role':
    case 'revoke-role':
      return [roleEdge(statement, directory)];
    case 'add-member':
    case 'drop-member': {
      const groupId = idOf('group', statement.group, directory);
      const type = statement.type === 'add-member' ? 'add-user-group' : 'remove-user-group';
      return [{ type, userId: idOf('user', statement.user, directory), groupId }];
    }
    case 'grant-table': {
      const { verb, on, role } = statement;
      const roleId = idOf('role', role, directory);
      return [{ type: 'grant-permission', permissionId: newId(), roleId, effect: 'allow', ...on, verb }];
    }
    case 'revoke-table':
      return revoked(statement, directory).map(({ id }) => ({ type: 'revoke-permission', permissionId: id }));
    case 'grant-pool': {
      const poolId = poolIdOf(statement.pool, directory);
      return [{ type: 'grant-pool', grantId: newId(), poolId, ...holderIds(statement.holder, directory) }];
    }
    case 'revoke-pool':
      return [revokedPool(statement, directory)];
    case 'create-user':
      return [createdUser(statement, directory, newId)];
    case 'alter-user':
      return [alteredUser(idOf('user', statement.name, directory), statement.change)];
    case 'create-row-policy':
    case 'create-column-policy':
      return [createdPolicy(statement, directory, newId, canonical)];
    case 'drop-row-policy':
    case 'drop-column-policy':
      return droppedPolicy(statement, directory);
    case 'create-secure-view':
      return [createdSecureView(statement, directory, newId, made)];
    case 'drop-secure-view':
      return droppedSecureView(statement, directory);
  }
}

function dropped(
  kind: 'role' | 'group' | 'user',
  { name, ifExists }: { name: string; ifExists: boolean },
  directory: Directory,
): string[] {
  const id = ifExists ? findId(kind, name, directory) : idOf(kind, name, directory);
  return id === undefined ? [] : [id];
}

function roleEdge({ type, role, holder }: Of<'grant-role' | 'revoke-role'>, directory: Directory): MembershipCommand {
  const roleId = idOf('role', role, directory);
  const holderId = idOf(holder.kind, holder.name, directory);
  const adds = type === 'grant-role';
  return holder.kind === 'user'
    ? { type: adds ? 'add-user-role' : 'remove-user-role', userId: holderId, roleId }
    : { type: adds ? 'add-group-role' : 'remove-group-role', groupId: holderId, roleId };
}

const sameTables = (a: TableRef, b: TableRef): boolean =>
  foldName(a.catalog) === foldName(b.catalog) &&
  foldName(a.schema) === foldName(b.schema) &&
  foldName(a.table) === foldName(b.table);

/**
 * The permissions that a REVOKE takes: that of the verb on exactly these tables, of ALL every one on them. That something
 * else would still allow it is no reason to say that it is revoked.
 */
function revoked({ verb, on, role }: Of<'revoke-table'>, directory: Directory): RolePermission[] {
  const roleId = idOf('role', role, directory);
  const held = directory.state.permissions.filter(
    (row) => row.roleId === roleId && row.effect === 'allow' && sameTables(row, on),
  );
  const taken = held.filter((row) => verb === 'ALL' || row.verb === verb);
  if (taken.length > 0) return taken;
  const place = `${on.catalog}.${on.schema}.${on.table}`;
  const others = held.map((row) => row.verb).sort();
  const has = others.length > 0 ? `: it holds ${others.join(', ')}` : '';
  throw new DomainError('grant_not_found', { detail: `role ${role} holds no ${verb} on ${place}${has}` });
}

function revokedPool({ pool, holder }: Of<'revoke-pool'>, directory: Directory): PoolPermissionCommand {
  const poolId = poolIdOf(pool, directory);
  const { userId, groupId } = holderIds(holder, directory);
  const grant = directory.state.poolPermissions.find(
    (row) => row.poolId === poolId && row.userId === userId && row.groupId === groupId,
  );
  if (grant === undefined) {
    const what = pool.pool === null ? 'every pool' : `pool ${pool.pool}`;
    const detail = `${holder.kind} ${holder.name} has no grant of its own on ${what}`;
    throw new DomainError('grant_not_found', { detail });
  }
  return { type: 'revoke-pool', grantId: grant.id };
}

/** For a name that exists it only attaches what is named (seed 000, "Memberships at user creation"). */
function createdUser(
  { name, admin, roles, groups }: Of<'create-user'>,
  directory: Directory,
  newId: () => string,
): PolicyCommand {
  const existing = findId('user', name, directory);
  if (existing !== undefined) return { type: 'recreate-user', userId: existing, roles, groups };
  const kind = admin ? 'admin' : 'user';
  return { type: 'create-user', userId: newId(), kind, mustChangePassword: false, roles, groups };
}

function alteredUser(userId: string, change: UserChange): PolicyCommand {
  if ('password' in change) return { type: 'update-user', userId, password: true, email: false };
  return { type: 'update-user', userId, password: false, email: false, ...change };
}
