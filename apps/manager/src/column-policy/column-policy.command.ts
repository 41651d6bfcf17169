import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ColumnAction, columnPolicyOf, columnPolicyOn, maskWarnings, type TableTuple } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';
import { PolicyChecks } from '../policy-check';

/** Where a policy is: a column of the tables of a tuple, for a role. */
export interface ColumnPlace extends TableTuple {
  roleId: string;
  column: string;
}

/** What a policy does, as its author says it; decided upon with the rest. */
export interface AskedRule {
  action: string;
  transformSql: string | null;
}

/** A policy that was made or changed, with what its author should know. */
export interface MadeColumnPolicy {
  id: string;
  warnings: string[];
}

/** Masks or denies a column to a role; what is there already is replaced and keeps its id. */
export class CreateColumnPolicy extends TenantCommand<MadeColumnPolicy> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly place: ColumnPlace,
    readonly rule: AskedRule,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreateColumnPolicy)
export class CreateColumnPolicyHandler implements ICommandHandler<CreateColumnPolicy> {
  constructor(
    private readonly mutations: Mutations,
    private readonly checks: PolicyChecks,
  ) {}

  async execute({ caller, tenant, place, rule }: CreateColumnPolicy): Promise<Mutated<MadeColumnPolicy>> {
    const policyId = uuidv7();
    const { canonical, requireFit } = await this.checks.column(tenant, place, rule.transformSql);
    const action = rule.action as ColumnAction;
    const { transformSql } = rule;
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'create-column-policy', policyId, ...place, action, transformSql, canonical },
      effects: () => Promise.resolve(requireFit()),
      result: (after) => {
        const id = columnPolicyOn(after, place)?.id ?? policyId;
        return { id, warnings: maskWarnings(after, id) };
      },
    });
  }
}

/** Has a policy do something else. */
export class UpdateColumnPolicy extends TenantCommand<MadeColumnPolicy> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly policyId: string,
    /** Of the policy, which never changes. */
    readonly place: ColumnPlace,
    readonly rule: AskedRule,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(UpdateColumnPolicy)
export class UpdateColumnPolicyHandler implements ICommandHandler<UpdateColumnPolicy> {
  constructor(
    private readonly mutations: Mutations,
    private readonly checks: PolicyChecks,
  ) {}

  async execute({ caller, tenant, policyId, place, rule }: UpdateColumnPolicy): Promise<Mutated<MadeColumnPolicy>> {
    const { canonical, requireFit } = await this.checks.column(tenant, place, rule.transformSql);
    const action = rule.action as ColumnAction;
    const { transformSql } = rule;
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'update-column-policy', policyId, action, transformSql, canonical },
      effects: () => Promise.resolve(requireFit()),
      result: (after) => ({ id: columnPolicyOf(after, policyId).id, warnings: maskWarnings(after, policyId) }),
    });
  }
}

/** Takes a policy from its role. */
export class DeleteColumnPolicy extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly policyId: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(DeleteColumnPolicy)
export class DeleteColumnPolicyHandler implements ICommandHandler<DeleteColumnPolicy> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, policyId }: DeleteColumnPolicy): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: { type: 'delete-column-policy', policyId } });
  }
}
