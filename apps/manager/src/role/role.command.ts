import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** Makes a role; gives its id. */
export class CreateRole extends TenantCommand<string> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly name: string,
    readonly description: string | null,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreateRole)
export class CreateRoleHandler implements ICommandHandler<CreateRole> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, name, description }: CreateRole): Promise<Mutated<string>> {
    const roleId = uuidv7();
    const command = { type: 'create-role', roleId, name, description } as const;
    return this.mutations.inTenant(caller, tenant, { command, result: () => roleId });
  }
}

/** Deletes a role with its permissions and edges. */
export class DeleteRole extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly roleId: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(DeleteRole)
export class DeleteRoleHandler implements ICommandHandler<DeleteRole> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, roleId }: DeleteRole): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: { type: 'delete-role', roleId } });
  }
}
