import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, SystemWideCommand } from '../mutation';

/** Makes a tenant with its built-ins. */
export class CreateTenant extends SystemWideCommand {
  constructor(
    caller: Caller,
    readonly tenant: string,
    readonly displayName: string,
    readonly authProvider: string,
  ) {
    super(caller);
  }
}

@CommandHandler(CreateTenant)
export class CreateTenantHandler implements ICommandHandler<CreateTenant> {
  constructor(private readonly mutations: Mutations) {}

  async execute({ caller, tenant, displayName, authProvider }: CreateTenant): Promise<Mutated<void>> {
    if (authProvider !== 'db') {
      throw new DomainError('invalid_tenant', { detail: 'authProvider other than db is not supported yet' });
    }
    const builtinIds = {
      allTables: uuidv7(),
      allTablesPermission: uuidv7(),
      noTables: uuidv7(),
      allPools: uuidv7(),
      allPoolsGrant: uuidv7(),
      noPools: uuidv7(),
    };
    const command = { type: 'create-tenant', tenant, displayName, authProvider, builtinIds } as const;
    return this.mutations.inSystem(caller, { command });
  }
}

/** Deletes a tenant that has no pools, with everything of it. */
export class DeleteTenant extends SystemWideCommand {
  constructor(
    caller: Caller,
    readonly tenant: string,
  ) {
    super(caller);
  }
}

@CommandHandler(DeleteTenant)
export class DeleteTenantHandler implements ICommandHandler<DeleteTenant> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant }: DeleteTenant): Promise<Mutated<void>> {
    return this.mutations.inSystem(caller, {
      command: { type: 'delete-tenant', tenant },
      effects: (db) => forgetTenant(db, tenant),
    });
  }
}

/** Ends the sessions of a tenant's users, drops its secrets and frees its usernames. */
async function forgetTenant(db: Queryable, tenant: string): Promise<void> {
  const users = 'SELECT id FROM app_user WHERE tenant = $1';
  await db.query(`DELETE FROM session WHERE user_id IN (${users})`, [tenant]);
  await db.query(`DELETE FROM user_credential WHERE user_id IN (${users})`, [tenant]);
  await db.query('UPDATE user_profile SET current = false WHERE tenant = $1', [tenant]);
  await db.query('DELETE FROM node_setup WHERE owner IN (SELECT id FROM tenant_db WHERE tenant = $1)', [tenant]);
}

/** Sets whether a revoke ends statements of the tenant that run. */
export class SetInterruptOnRevoke extends SystemWideCommand {
  constructor(
    caller: Caller,
    readonly tenant: string,
    readonly interruptOnRevoke: boolean,
  ) {
    super(caller);
  }
}

@CommandHandler(SetInterruptOnRevoke)
export class SetInterruptOnRevokeHandler implements ICommandHandler<SetInterruptOnRevoke> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, interruptOnRevoke }: SetInterruptOnRevoke): Promise<Mutated<void>> {
    return this.mutations.inSystem(caller, { command: { type: 'set-interrupt', tenant, interruptOnRevoke } });
  }
}

/** Switches a tenant off or on. */
export class SwitchTenant extends SystemWideCommand {
  constructor(
    caller: Caller,
    readonly tenant: string,
    readonly disabled: boolean,
  ) {
    super(caller);
  }
}

@CommandHandler(SwitchTenant)
export class SwitchTenantHandler implements ICommandHandler<SwitchTenant> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, disabled }: SwitchTenant): Promise<Mutated<void>> {
    return this.mutations.inSystem(caller, { command: { type: 'switch-tenant', tenant, disabled } });
  }
}
