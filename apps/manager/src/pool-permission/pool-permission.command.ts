import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantState } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** Who gets which pool; `poolId` null = every pool. */
export interface PoolGrant {
  poolId: string | null;
  userId: string | null;
  groupId: string | null;
}

/** Grants a pool; gives the grant's id, that of the one there already if it is held. */
export class GrantPool extends TenantCommand<string> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly grant: PoolGrant,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(GrantPool)
export class GrantPoolHandler implements ICommandHandler<GrantPool> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, grant }: GrantPool): Promise<Mutated<string>> {
    const grantId = uuidv7();
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'grant-pool', grantId, ...grant },
      result: (after) => held(after, grant) ?? grantId,
    });
  }
}

function held(state: TenantState, { poolId, userId, groupId }: PoolGrant): string | undefined {
  return state.poolPermissions.find((row) => row.poolId === poolId && row.userId === userId && row.groupId === groupId)
    ?.id;
}

/** Takes a pool grant back. */
export class RevokePool extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly grantId: string,
    /** The user who holds it, if a user does. */
    readonly holderId: string | null,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(RevokePool)
export class RevokePoolHandler implements ICommandHandler<RevokePool> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, grantId, holderId }: RevokePool): Promise<Mutated<void>> {
    const users = holderId === null ? [] : [holderId];
    return this.mutations.inTenant(caller, tenant, { command: { type: 'revoke-pool', grantId }, users });
  }
}
