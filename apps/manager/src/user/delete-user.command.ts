import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '../auth';
import { type Mutated, Mutations, SystemWideCommand, TenantCommand } from '../mutation';
import { keepBesideEvents } from './account';

/** Deletes a tenant's user. */
export class DeleteUser extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly userId: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(DeleteUser)
export class DeleteUserHandler implements ICommandHandler<DeleteUser> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, userId }: DeleteUser): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'delete-user', userId },
      effects: (db, { events }) => keepBesideEvents(db, tenant, events, {}),
    });
  }
}

/** Deletes a superuser. */
export class DeleteSuperuser extends SystemWideCommand {
  constructor(
    caller: Caller,
    readonly userId: string,
  ) {
    super(caller);
  }
}

@CommandHandler(DeleteSuperuser)
export class DeleteSuperuserHandler implements ICommandHandler<DeleteSuperuser> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, userId }: DeleteSuperuser): Promise<Mutated<void>> {
    return this.mutations.inSystem(caller, {
      command: { type: 'delete-superuser', userId },
      effects: (db, { events }) => keepBesideEvents(db, null, events, {}),
    });
  }
}
