import { isReserved } from '../builtins';
import type { GroupCommand, MembershipCommand, PoolPermissionCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import type { TenantState, User } from '../state';
import { isName, sameName } from './names';
import { groupOf, refuseBuiltin, roleOf } from './role';

/** Groups. Source: qod-api.md 1.3. */
export function decideGroup(command: GroupCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'create-group': {
      const { groupId, name, description } = command;
      if (isReserved(name)) throw new DomainError('reserved_name');
      if (!isName(name)) {
        throw new DomainError('invalid_group', { detail: 'the name of a group must be printable text' });
      }
      if (state.groups.some((group) => sameName(group.name, name))) throw new DomainError('group_exists', { name });
      return [{ type: 'group.created', data: { groupId, name, description, builtin: false } }];
    }
    case 'delete-group':
      refuseBuiltin(groupOf(state, command.groupId));
      return [{ type: 'group.deleted', data: { groupId: command.groupId } }];
  }
}

/** The loaded user of that id, or 404. */
export function userOf(state: TenantState, userId: string): User {
  const user = state.users.find((candidate) => candidate.id === userId);
  if (user === undefined) throw new DomainError('not_found');
  return user;
}

/**
 * Membership edges; adding one that is there, or removing one that is not, changes nothing. Users come and go in
 * built-ins, roles do not (seed 000, "Built-in roles and groups").
 */
export function decideMembership(command: MembershipCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'add-user-role':
    case 'remove-user-role': {
      const { userId, roleId } = command;
      userOf(state, userId);
      roleOf(state, roleId);
      const held = state.userRoles.some((row) => row.userId === userId && row.roleId === roleId);
      if (held === (command.type === 'add-user-role')) return [];
      return [{ type: held ? 'user-role.removed' : 'user-role.added', data: { userId, roleId } }];
    }
    case 'add-user-group':
    case 'remove-user-group': {
      const { userId, groupId } = command;
      userOf(state, userId);
      groupOf(state, groupId);
      const held = state.userGroups.some((row) => row.userId === userId && row.groupId === groupId);
      if (held === (command.type === 'add-user-group')) return [];
      return [{ type: held ? 'user-group.removed' : 'user-group.added', data: { userId, groupId } }];
    }
    case 'add-group-role':
    case 'remove-group-role': {
      const { groupId, roleId } = command;
      refuseBuiltin(groupOf(state, groupId));
      roleOf(state, roleId);
      const held = state.groupRoles.some((row) => row.groupId === groupId && row.roleId === roleId);
      if (held === (command.type === 'add-group-role')) return [];
      return [{ type: held ? 'group-role.removed' : 'group-role.added', data: { groupId, roleId } }];
    }
  }
}

/** Pool grants, to a user or to a group. Granting what is granted changes nothing. Source: qod-api.md 1.3. */
export function decidePoolPermission(command: PoolPermissionCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'grant-pool': {
      const { grantId, poolId, userId, groupId } = command;
      if ((userId === null) === (groupId === null)) {
        throw new DomainError('invalid_grant', { detail: 'exactly one of userId and groupId must be given' });
      }
      if (userId !== null) userOf(state, userId);
      if (groupId !== null) refuseBuiltin(groupOf(state, groupId));
      if (poolId !== null && !state.pools.some((pool) => pool.id === poolId)) throw new DomainError('not_found');
      const held = state.poolPermissions.some(
        (row) => row.poolId === poolId && row.userId === userId && row.groupId === groupId,
      );
      return held ? [] : [{ type: 'pool-permission.granted', data: { grantId, poolId, userId, groupId } }];
    }
    case 'revoke-pool': {
      const grant = state.poolPermissions.find((row) => row.id === command.grantId);
      if (grant === undefined) throw new DomainError('not_found');
      if (grant.groupId !== null) refuseBuiltin(groupOf(state, grant.groupId));
      return [{ type: 'pool-permission.revoked', data: { grantId: grant.id } }];
    }
  }
}
