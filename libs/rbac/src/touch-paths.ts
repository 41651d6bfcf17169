import type { PolicyEvent } from './events';
import type { TenantState } from './state';

/** Through what an event reaches users: whoever has none of these is not touched. */
export interface TouchPaths {
  /** Everybody may be. */
  all: boolean;
  users: readonly string[];
  roles: readonly string[];
  groups: readonly string[];
  /** Own pool grants, by id. */
  grants: readonly string[];
}

const NOBODY: TouchPaths = { all: false, users: [], roles: [], groups: [], grants: [] };

/** Where to look for those whom `touchOf` says that an event touches. `state`: the tenant's graph before the event. */
export function touchPaths(state: TenantState, event: PolicyEvent): TouchPaths {
  switch (event.type) {
    case 'user.created':
    case 'user.deleted':
    case 'user.kind-changed':
    case 'user.enabled':
    case 'user.disabled':
    case 'user.profile-changed':
    case 'user-role.added':
    case 'user-role.removed':
    case 'user-group.added':
    case 'user-group.removed':
      return { ...NOBODY, users: [event.data.userId] };
    case 'role.deleted':
    case 'permission.granted':
    case 'permission.revoked':
    case 'column-policy.created':
    case 'column-policy.changed':
    case 'column-policy.deleted':
    case 'row-policy.created':
    case 'row-policy.changed':
    case 'row-policy.deleted': {
      const { roleId } = event.data;
      const groups = state.groupRoles.filter((row) => row.roleId === roleId).map(({ groupId }) => groupId);
      return { ...NOBODY, roles: [roleId], groups };
    }
    case 'group.deleted':
    case 'group-role.added':
    case 'group-role.removed':
      return { ...NOBODY, groups: [event.data.groupId] };
    case 'pool-permission.granted': {
      const { userId, groupId } = event.data;
      return { ...NOBODY, users: userId === null ? [] : [userId], groups: groupId === null ? [] : [groupId] };
    }
    case 'pool-permission.revoked': {
      const { grantId } = event.data;
      const grant = state.poolPermissions.find(({ id }) => id === grantId);
      return { ...NOBODY, grants: [grantId], groups: grant?.groupId ? [grant.groupId] : [] };
    }
    case 'pool.deleted':
    case 'database.created':
    case 'database.updated':
    case 'database.deleted':
    case 'macro.admitted':
    case 'macro.withdrawn':
    case 'secure-view.created':
    case 'secure-view.changed':
    case 'secure-view.dropped':
      return { ...NOBODY, all: true };
    case 'role.created':
    case 'group.created':
    case 'user.credential-changed':
    case 'federated-source.created':
    case 'federated-source.deleted':
    case 'pool.created':
    case 'pool.scaled':
    case 'pool.stopped':
    case 'pool.disabled':
    case 'pool.enabled':
    case 'tenant.created':
    case 'tenant.disabled':
    case 'tenant.enabled':
    case 'tenant.deleted':
    case 'tenant.interrupt-set':
      return NOBODY;
  }
}
