import type { PolicyEvent } from './events';
import type { TenantState } from './state';

/** What a set is made of on the user's side: edges by id, and the ids of the user's own pool grants. */
export interface UserEdges {
  roles: readonly string[];
  groups: readonly string[];
  poolGrants: readonly { id: string; poolId: string | null }[];
}

/**
 * Whom an event touches. `edges`: what the user is or is bound to changed; `set`: only what follows from it did. A user
 * whom it does not touch keeps both, so that one change costs nothing to the sessions of others (DESIGN section 4).
 */
export type Touch = 'edges' | 'set' | 'nothing';

/** `state`: the tenant's graph before the event. */
export function touchOf(state: TenantState, event: PolicyEvent, userId: string, edges: UserEdges): Touch {
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
      return event.data.userId === userId ? 'edges' : 'nothing';
    case 'role.deleted':
      if (edges.roles.includes(event.data.roleId)) return 'edges';
      return holdsRole(state, edges, event.data.roleId) ? 'set' : 'nothing';
    case 'permission.granted':
    case 'permission.revoked':
    case 'column-policy.created':
    case 'column-policy.changed':
    case 'column-policy.deleted':
    case 'row-policy.created':
    case 'row-policy.changed':
    case 'row-policy.deleted':
      return holdsRole(state, edges, event.data.roleId) ? 'set' : 'nothing';
    case 'group.deleted':
      return edges.groups.includes(event.data.groupId) ? 'edges' : 'nothing';
    case 'group-role.added':
    case 'group-role.removed':
      return edges.groups.includes(event.data.groupId) ? 'set' : 'nothing';
    case 'pool-permission.granted': {
      const { userId: grantee, groupId } = event.data;
      if (grantee === userId) return 'edges';
      return groupId !== null && edges.groups.includes(groupId) ? 'set' : 'nothing';
    }
    case 'pool-permission.revoked':
      return touchOfPoolRevoke(state, edges, event.data.grantId);
    case 'pool.deleted':
      return edges.poolGrants.some(({ poolId }) => poolId === event.data.poolId) ? 'edges' : 'set';
    // A wildcard catalog reaches the databases that there are.
    case 'database.created':
    case 'database.updated':
    case 'database.deleted':
    // A macro is admitted for everybody.
    case 'macro.admitted':
    case 'macro.withdrawn':
    // What a secure view stands for is in every set.
    case 'secure-view.created':
    case 'secure-view.changed':
    case 'secure-view.dropped':
      return 'set';
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
      return 'nothing';
  }
}

function holdsRole(state: TenantState, edges: UserEdges, roleId: string): boolean {
  if (edges.roles.includes(roleId)) return true;
  return state.groupRoles.some((row) => row.roleId === roleId && edges.groups.includes(row.groupId));
}

function touchOfPoolRevoke(state: TenantState, edges: UserEdges, grantId: string): Touch {
  if (edges.poolGrants.some(({ id }) => id === grantId)) return 'edges';
  const grant = state.poolPermissions.find(({ id }) => id === grantId);
  return grant?.groupId && edges.groups.includes(grant.groupId) ? 'set' : 'nothing';
}
