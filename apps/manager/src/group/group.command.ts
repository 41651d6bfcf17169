import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** Makes a group; gives its id. */
export class CreateGroup extends TenantCommand<string> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly name: string,
    readonly description: string | null,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreateGroup)
export class CreateGroupHandler implements ICommandHandler<CreateGroup> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, name, description }: CreateGroup): Promise<Mutated<string>> {
    const groupId = uuidv7();
    const command = { type: 'create-group', groupId, name, description } as const;
    return this.mutations.inTenant(caller, tenant, { command, result: () => groupId });
  }
}

/** Deletes a group with its edges and pool grants. */
export class DeleteGroup extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly groupId: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(DeleteGroup)
export class DeleteGroupHandler implements ICommandHandler<DeleteGroup> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, groupId }: DeleteGroup): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: { type: 'delete-group', groupId } });
  }
}
