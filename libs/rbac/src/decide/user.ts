import { BUILTINS, canonicalName } from '../builtins';
import type { AccountChange, Actor, Memberships, UserCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import type { TenantState, User } from '../state';
import { userOf } from './group';
import { sameName } from './names';

/** A tenant's users. Source: seed 000, "Memberships at user creation"; qod-api.md 1.3. */
export function decideUser(command: UserCommand, state: TenantState, actor: Actor): PolicyEvent[] {
  switch (command.type) {
    case 'create-user': {
      const { userId, kind, mustChangePassword, roles, groups } = command;
      const memberships = {
        roles: roles ?? [BUILTINS.allTables],
        groups: groups ?? [BUILTINS.allPools],
      };
      const account = { userId, kind, profileVersion: 1, credentialVersion: 1, mustChangePassword };
      return [{ type: 'user.created', data: account }, ...attach(userId, memberships, state)];
    }
    case 'recreate-user': {
      userOf(state, command.userId);
      return attach(command.userId, command, state);
    }
    case 'update-user':
      return changeAccount(userOf(state, command.userId), command, actor);
    case 'delete-user': {
      const user = userOf(state, command.userId);
      if (actor.userId === user.id) throw new DomainError('cannot_delete_self');
      return [{ type: 'user.deleted', data: { userId: user.id } }];
    }
  }
}

function attach(userId: string, memberships: Memberships, state: TenantState): PolicyEvent[] {
  if (memberships.roles?.length === 0) throw new DomainError('roles_required');
  if (memberships.groups?.length === 0) throw new DomainError('groups_required');
  const roleIds = new Set(
    (memberships.roles ?? []).map((name) => {
      const role = state.roles.find((candidate) => sameName(candidate.name, canonicalName(name)));
      if (role === undefined) throw new DomainError('unknown_role', { name });
      return role.id;
    }),
  );
  const groupIds = new Set(
    (memberships.groups ?? []).map((name) => {
      const group = state.groups.find((candidate) => sameName(candidate.name, canonicalName(name)));
      if (group === undefined) throw new DomainError('unknown_group', { name });
      return group.id;
    }),
  );
  const hasRole = (roleId: string): boolean =>
    state.userRoles.some((row) => row.userId === userId && row.roleId === roleId);
  const hasGroup = (groupId: string): boolean =>
    state.userGroups.some((row) => row.userId === userId && row.groupId === groupId);
  return [
    ...[...roleIds]
      .filter((roleId) => !hasRole(roleId))
      .map((roleId): PolicyEvent => ({ type: 'user-role.added', data: { userId, roleId } })),
    ...[...groupIds]
      .filter((groupId) => !hasGroup(groupId))
      .map((groupId): PolicyEvent => ({ type: 'user-group.added', data: { userId, groupId } })),
  ];
}

/** The events of an update of an account, of a tenant's user as of a superuser. Nobody locks their own account. */
export function changeAccount(user: User, change: AccountChange, actor: Actor): PolicyEvent[] {
  const { kind = user.kind, enabled = user.enabled, mustChangePassword = user.mustChangePassword } = change;
  const userId = user.id;
  const own = actor.userId === userId;
  if (own && !enabled) throw new DomainError('cannot_lock_self');
  if (own && kind !== user.kind && kind === 'user') throw new DomainError('cannot_lock_self');
  const events: PolicyEvent[] = [];
  if (kind !== user.kind) events.push({ type: 'user.kind-changed', data: { userId, kind } });
  if (enabled !== user.enabled) events.push({ type: enabled ? 'user.enabled' : 'user.disabled', data: { userId } });
  if (change.password || mustChangePassword !== user.mustChangePassword) {
    const credentialVersion = user.credentialVersion + (change.password ? 1 : 0);
    events.push({ type: 'user.credential-changed', data: { userId, credentialVersion, mustChangePassword } });
  }
  if (change.email) {
    events.push({ type: 'user.profile-changed', data: { userId, profileVersion: user.profileVersion + 1 } });
  }
  return events;
}
