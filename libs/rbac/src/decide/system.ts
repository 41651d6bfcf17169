import { BUILTINS } from '../builtins';
import type { AccountChange, Actor, BuiltinIds, SystemCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import type { SystemState, User } from '../state';
import { changeAccount } from './user';

/** Events with the stream each belongs to: making a tenant writes to `$system` and to the tenant's own stream. */
export interface SystemDecision {
  system: PolicyEvent[];
  tenant: PolicyEvent[];
}

/** A tenant's id goes into paths, headers and folders. */
const TENANT_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const AUTH_PROVIDERS = ['db', 'keycloak', 'google', 'azure', 'aws'];

const inSystem = (...system: PolicyEvent[]): SystemDecision => ({ system, tenant: [] });

/** Tenants and superusers; for superusers only, but for nothing else. Source: seed 000, "Superusers". */
export function decideSystem(command: SystemCommand, state: SystemState, actor: Actor): SystemDecision {
  switch (command.type) {
    case 'create-tenant':
      return createTenant(command, state);
    case 'delete-tenant': {
      if (tenantOf(state, command.tenant).pools > 0) {
        throw new DomainError('has_pools', { name: `tenant ${command.tenant}` });
      }
      return inSystem({ type: 'tenant.deleted', data: { tenant: command.tenant } });
    }
    case 'switch-tenant': {
      if (tenantOf(state, command.tenant).disabled === command.disabled) return inSystem();
      const type = command.disabled ? 'tenant.disabled' : 'tenant.enabled';
      return inSystem({ type, data: { tenant: command.tenant } });
    }
    case 'set-interrupt': {
      const { tenant, interruptOnRevoke } = command;
      if (tenantOf(state, tenant).interruptOnRevoke === interruptOnRevoke) return inSystem();
      return inSystem({ type: 'tenant.interrupt-set', data: { tenant, interruptOnRevoke } });
    }
    case 'create-superuser': {
      const { userId, kind, mustChangePassword } = command;
      const account = { userId, kind, profileVersion: 1, credentialVersion: 1, mustChangePassword };
      return inSystem({ type: 'user.created', data: account });
    }
    case 'update-superuser':
      return inSystem(...updateSuperuser(superuserOf(state, command.userId), command, state, actor));
    case 'delete-superuser': {
      const user = superuserOf(state, command.userId);
      refuseLast(user, state);
      if (actor.userId === user.id) throw new DomainError('cannot_delete_self');
      return inSystem({ type: 'user.deleted', data: { userId: user.id } });
    }
  }
}

function createTenant(command: Extract<SystemCommand, { type: 'create-tenant' }>, state: SystemState): SystemDecision {
  const { tenant, displayName, authProvider, builtinIds } = command;
  if (!TENANT_ID.test(tenant)) {
    throw new DomainError('invalid_tenant', {
      detail: 'the id of a tenant is 1 to 63 lower-case letters, digits, - and _',
    });
  }
  if (!AUTH_PROVIDERS.includes(authProvider)) {
    throw new DomainError('invalid_tenant', { detail: `authProvider must be one of ${AUTH_PROVIDERS.join(', ')}` });
  }
  if (state.tenants.some((row) => row.id === tenant)) throw new DomainError('tenant_exists', { name: tenant });
  return {
    system: [{ type: 'tenant.created', data: { tenant, displayName, authProvider } }],
    tenant: builtins(builtinIds),
  };
}

/** The built-ins that a tenant is born with. Source: seed 000, "Built-in roles and groups". */
function builtins(ids: BuiltinIds): PolicyEvent[] {
  const frozen = { description: null, builtin: true };
  const everything = { effect: 'allow', catalog: '*', schema: '*', table: '*', verb: 'ALL' } as const;
  return [
    { type: 'role.created', data: { roleId: ids.allTables, name: BUILTINS.allTables, ...frozen } },
    {
      type: 'permission.granted',
      data: { permissionId: ids.allTablesPermission, roleId: ids.allTables, ...everything },
    },
    { type: 'role.created', data: { roleId: ids.noTables, name: BUILTINS.noTables, ...frozen } },
    { type: 'group.created', data: { groupId: ids.allPools, name: BUILTINS.allPools, ...frozen } },
    {
      type: 'pool-permission.granted',
      data: { grantId: ids.allPoolsGrant, poolId: null, userId: null, groupId: ids.allPools },
    },
    { type: 'group.created', data: { groupId: ids.noPools, name: BUILTINS.noPools, ...frozen } },
  ];
}

function tenantOf(state: SystemState, tenant: string): SystemState['tenants'][number] {
  const found = state.tenants.find((row) => row.id === tenant);
  if (found === undefined) throw new DomainError('not_found');
  return found;
}

function superuserOf(state: SystemState, userId: string): User {
  const user = state.superusers.find((candidate) => candidate.id === userId);
  if (user === undefined) throw new DomainError('not_found');
  return user;
}

/** The lock on `$system` orders two of these, so the second sees what the first left. */
function refuseLast(user: User, state: SystemState): void {
  const others = state.superusers.some((other) => other.id !== user.id && other.enabled);
  if (user.enabled && !others) throw new DomainError('last_superuser');
}

function updateSuperuser(user: User, change: AccountChange, state: SystemState, actor: Actor): PolicyEvent[] {
  if (change.enabled === false) refuseLast(user, state);
  // A superuser's kind confers nothing, so nobody locks themselves out by it.
  const own = actor.userId === user.id && change.enabled !== false ? { ...actor, userId: null } : actor;
  return changeAccount(user, change, own);
}
