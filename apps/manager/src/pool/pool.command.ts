import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, type PoolCommand, type PoolLimits, type PoolName } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { storeSetup } from '../database';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** A pool to be made. */
export interface PoolPlan extends PoolName, PoolLimits {
  size: number;
  disabled: boolean;
  initSql: string | null;
}

/** Makes a pool. */
export class CreatePool extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly plan: PoolPlan,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreatePool)
export class CreatePoolHandler implements ICommandHandler<CreatePool> {
  constructor(private readonly mutations: Mutations) {}

  async execute({ caller, tenant, plan }: CreatePool): Promise<Mutated<void>> {
    const { initSql, ...asked } = plan;
    if (initSql !== null && !caller.principal.superuser) {
      throw new DomainError('superuser_required', { what: 'initSql' });
    }
    const poolId = uuidv7();
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'create-pool', poolId, setup: initSql !== null, ...asked },
      effects: async (db) => {
        if (initSql !== null) await storeSetup(db, poolId, 1, { initSql, metastore: null, objectStore: null });
      },
    });
  }
}

/** Scales, stops, switches or deletes a pool. */
export class ChangePool extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly change: Exclude<PoolCommand, { type: 'create-pool' }>,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(ChangePool)
export class ChangePoolHandler implements ICommandHandler<ChangePool> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, change }: ChangePool): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, {
      command: change,
      effects: async (db, { events }) => {
        for (const event of events) {
          if (event.type === 'pool.deleted') {
            await db.query('DELETE FROM node_setup WHERE owner = $1', [event.data.poolId]);
          }
        }
      },
    });
  }
}
