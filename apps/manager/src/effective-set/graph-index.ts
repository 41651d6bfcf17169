import type { PolicyEvent, RolePermission, TenantState, UserEdges } from '@gadwall/rbac';

/** The rows of a graph by what a user's closure looks for, so that it costs what the user has and not what there is. */
export class GraphIndex {
  private roles = new Map<string, TenantState['roles'][number]>();
  private groups = new Map<string, TenantState['groups'][number]>();
  private rolesOfGroup = new Map<string, TenantState['groupRoles'][number][]>();
  private permissions = new Map<string, readonly RolePermission[]>();

  constructor(state: TenantState) {
    this.indexNames(state);
    for (const row of state.permissions) this.add(row);
  }

  /** Brings the index from the state before an event to the one after it. */
  follow(state: TenantState, { type, data }: PolicyEvent): void {
    switch (type) {
      case 'permission.granted': {
        const { permissionId, ...permission } = data;
        return this.add({ id: permissionId, ...permission });
      }
      case 'permission.revoked': {
        const left = this.permissions.get(data.roleId)?.filter(({ id }) => id !== data.permissionId) ?? [];
        this.permissions.set(data.roleId, left);
        return;
      }
      case 'role.deleted':
        this.permissions.delete(data.roleId);
        return this.indexNames(state);
      default:
        if (/^(role|group|group-role)\./.test(type)) this.indexNames(state);
    }
  }

  /** The state with only the roles, groups and permissions that edges lead to. */
  narrowed(state: TenantState, edges: UserEdges): TenantState {
    const groupRoles = edges.groups.flatMap((id) => this.rolesOfGroup.get(id) ?? []);
    const roleIds = [...new Set([...edges.roles, ...groupRoles.map(({ roleId }) => roleId)])];
    return {
      ...state,
      roles: roleIds.flatMap((id) => this.roles.get(id) ?? []),
      groups: edges.groups.flatMap((id) => this.groups.get(id) ?? []),
      groupRoles,
      permissions: roleIds.flatMap((id) => this.permissions.get(id) ?? []),
    };
  }

  private add(row: RolePermission): void {
    this.permissions.set(row.roleId, [...(this.permissions.get(row.roleId) ?? []), row]);
  }

  private indexNames({ roles, groups, groupRoles }: TenantState): void {
    this.roles = new Map(roles.map((role) => [role.id, role]));
    this.groups = new Map(groups.map((group) => [group.id, group]));
    this.rolesOfGroup = new Map();
    for (const row of groupRoles) {
      const known = this.rolesOfGroup.get(row.groupId);
      if (known) known.push(row);
      else this.rolesOfGroup.set(row.groupId, [row]);
    }
  }
}
