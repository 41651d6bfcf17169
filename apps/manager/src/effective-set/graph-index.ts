import type {
  PolicyEvent,
  RoleColumnPolicy,
  RolePermission,
  RoleRowPolicy,
  TenantState,
  UserEdges,
} from '@gadwall/rbac';

/** The rows of a graph by what a user's closure looks for, so that it costs what the user has and not what there is. */
export class GraphIndex {
  private roles = new Map<string, TenantState['roles'][number]>();
  private groups = new Map<string, TenantState['groups'][number]>();
  private rolesOfGroup = new Map<string, TenantState['groupRoles'][number][]>();
  private permissions = new Map<string, readonly RolePermission[]>();
  private columnPolicies = new Map<string, RoleColumnPolicy[]>();
  private rowPolicies = new Map<string, RoleRowPolicy[]>();

  constructor(state: TenantState) {
    this.indexNames(state);
    this.indexPolicies(state);
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
        this.indexPolicies(state);
        return this.indexNames(state);
      default:
        if (/^(role|group|group-role)\./.test(type)) this.indexNames(state);
        if (/^(column|row)-policy\./.test(type)) this.indexPolicies(state);
    }
  }

  /** The state with only the roles, groups, permissions and policies that edges lead to. */
  narrowed(state: TenantState, edges: UserEdges): TenantState {
    const groupRoles = edges.groups.flatMap((id) => this.rolesOfGroup.get(id) ?? []);
    const roleIds = [...new Set([...edges.roles, ...groupRoles.map(({ roleId }) => roleId)])];
    return {
      ...state,
      roles: roleIds.flatMap((id) => this.roles.get(id) ?? []),
      groups: edges.groups.flatMap((id) => this.groups.get(id) ?? []),
      groupRoles,
      permissions: roleIds.flatMap((id) => this.permissions.get(id) ?? []),
      columnPolicies: roleIds.flatMap((id) => this.columnPolicies.get(id) ?? []),
      rowPolicies: roleIds.flatMap((id) => this.rowPolicies.get(id) ?? []),
    };
  }

  private add(row: RolePermission): void {
    this.permissions.set(row.roleId, [...(this.permissions.get(row.roleId) ?? []), row]);
  }

  private indexNames({ roles, groups, groupRoles }: TenantState): void {
    this.roles = new Map(roles.map((role) => [role.id, role]));
    this.groups = new Map(groups.map((group) => [group.id, group]));
    this.rolesOfGroup = grouped(groupRoles, ({ groupId }) => groupId);
  }

  private indexPolicies({ columnPolicies, rowPolicies }: TenantState): void {
    this.columnPolicies = grouped(columnPolicies, ({ roleId }) => roleId);
    this.rowPolicies = grouped(rowPolicies, ({ roleId }) => roleId);
  }
}

function grouped<R>(rows: readonly R[], keyOf: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const known = groups.get(keyOf(row));
    if (known) known.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
