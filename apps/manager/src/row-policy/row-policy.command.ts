import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { rowPolicyOn, type TableTuple } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';
import { PolicyChecks } from '../policy-check';

/** Filters the tables of a tuple for a role; what is there already is replaced and keeps its id, which this gives. */
export class CreateRowPolicy extends TenantCommand<string> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly place: { roleId: string } & TableTuple,
    readonly predicateSql: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreateRowPolicy)
export class CreateRowPolicyHandler implements ICommandHandler<CreateRowPolicy> {
  constructor(
    private readonly mutations: Mutations,
    private readonly checks: PolicyChecks,
  ) {}

  async execute({ caller, tenant, place, predicateSql }: CreateRowPolicy): Promise<Mutated<string>> {
    const policyId = uuidv7();
    const { canonical, requireFit } = await this.checks.rows(tenant, place, predicateSql);
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'create-row-policy', policyId, ...place, predicateSql, canonical },
      effects: () => Promise.resolve(requireFit()),
      result: (after) => rowPolicyOn(after, place)?.id ?? policyId,
    });
  }
}

/** Gives a policy another predicate. */
export class UpdateRowPolicy extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly policyId: string,
    /** Of the policy, which never changes. */
    readonly place: TableTuple,
    readonly predicateSql: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(UpdateRowPolicy)
export class UpdateRowPolicyHandler implements ICommandHandler<UpdateRowPolicy> {
  constructor(
    private readonly mutations: Mutations,
    private readonly checks: PolicyChecks,
  ) {}

  async execute({ caller, tenant, policyId, place, predicateSql }: UpdateRowPolicy): Promise<Mutated<void>> {
    const { canonical, requireFit } = await this.checks.rows(tenant, place, predicateSql);
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'update-row-policy', policyId, predicateSql, canonical },
      effects: () => Promise.resolve(requireFit()),
    });
  }
}

/** Takes a policy from its role. */
export class DeleteRowPolicy extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly policyId: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(DeleteRowPolicy)
export class DeleteRowPolicyHandler implements ICommandHandler<DeleteRowPolicy> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, policyId }: DeleteRowPolicy): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: { type: 'delete-row-policy', policyId } });
  }
}
