import { isReserved } from '../builtins';
import type { RoleCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import { foldName } from '../fold';
import { type Verb, VERBS } from '../model';
import type { Named, TenantState } from '../state';
import { isName, sameName } from './names';

/** The role of that id, or 404. */
export function roleOf(state: TenantState, roleId: string): Named {
  const role = state.roles.find((candidate) => candidate.id === roleId);
  if (role === undefined) throw new DomainError('not_found');
  return role;
}

/** The group of that id, or 404. */
export function groupOf(state: TenantState, groupId: string): Named {
  const group = state.groups.find((candidate) => candidate.id === groupId);
  if (group === undefined) throw new DomainError('not_found');
  return group;
}

/** Built-ins are frozen (seed 000, "Built-in roles and groups"). */
export function refuseBuiltin(thing: Named): void {
  if (thing.builtin) throw new DomainError('builtin_protected', { name: thing.name });
}

/** Roles and their table permissions. Source: seed 000, "Table permissions"; qod-api.md 1.3. */
export function decideRole(command: RoleCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'create-role': {
      const { roleId, name, description } = command;
      if (isReserved(name)) throw new DomainError('reserved_name');
      if (!isName(name)) throw new DomainError('invalid_role', { detail: 'the name of a role must be printable text' });
      if (state.roles.some((role) => sameName(role.name, name))) throw new DomainError('role_exists', { name });
      return [{ type: 'role.created', data: { roleId, name, description, builtin: false } }];
    }
    case 'delete-role':
      refuseBuiltin(roleOf(state, command.roleId));
      return [{ type: 'role.deleted', data: { roleId: command.roleId } }];
    case 'grant-permission':
      return grantPermission(command, state);
    case 'revoke-permission': {
      const permission = state.permissions.find((row) => row.id === command.permissionId);
      if (permission === undefined) throw new DomainError('not_found');
      refuseBuiltin(roleOf(state, permission.roleId));
      return [{ type: 'permission.revoked', data: { permissionId: permission.id, roleId: permission.roleId } }];
    }
  }
}

const isVerb = (verb: string): verb is Verb => (VERBS as readonly string[]).includes(verb);

function grantPermission(
  command: Extract<RoleCommand, { type: 'grant-permission' }>,
  state: TenantState,
): PolicyEvent[] {
  const { permissionId, roleId, effect, catalog, schema, table, verb } = command;
  refuseBuiltin(roleOf(state, roleId));
  if (!isVerb(verb)) throw new DomainError('invalid_permission', { detail: 'verb must be one of RO, RW, DDL, ALL' });
  if (![catalog, schema, table].every(isName)) {
    throw new DomainError('invalid_permission', { detail: 'catalog, schema and table must be names or *' });
  }
  const held = findPermission(state, command);
  if (held !== undefined) return [];
  return [{ type: 'permission.granted', data: { permissionId, roleId, effect, catalog, schema, table, verb } }];
}

/** The same permission of the same role, if it is there already: granting it again changes nothing. */
function findPermission(
  state: TenantState,
  asked: { roleId: string; effect: string; catalog: string; schema: string; table: string; verb: string },
): TenantState['permissions'][number] | undefined {
  const key = (row: typeof asked): string =>
    JSON.stringify([
      row.roleId,
      row.effect,
      foldName(row.catalog),
      foldName(row.schema),
      foldName(row.table),
      row.verb,
    ]);
  return state.permissions.find((row) => key(row) === key(asked));
}
