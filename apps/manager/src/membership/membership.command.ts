import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { MembershipCommand } from '@gadwall/rbac';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** Adds or removes one edge; one that is there already, or not there any more, stays as it is. */
export class ChangeMembership extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly change: MembershipCommand,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(ChangeMembership)
export class ChangeMembershipHandler implements ICommandHandler<ChangeMembership> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, change }: ChangeMembership): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: change });
  }
}
