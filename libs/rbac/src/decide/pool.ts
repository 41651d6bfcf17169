import type { PoolCommand, PoolName } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import type { Pool, TenantState } from '../state';
import { databaseOf } from './database';
import { isName, sameName } from './names';

const MAXIMUM_SIZE = 1000;

/** The pool of that name bound to that database, or 404. */
function poolOf(state: TenantState, { database, pool }: PoolName): Pool {
  const bound = databaseOf(state, database);
  const found = state.pools.find((candidate) => candidate.databaseId === bound.id && sameName(candidate.name, pool));
  if (found === undefined) throw new DomainError('not_found');
  return found;
}

/** A tenant's pools; a client names tenant and pool only, so names are one per tenant. Source: reference/api.md. */
export function decidePool(command: PoolCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'create-pool':
      return createPool(command, state);
    case 'scale-pool': {
      refuseBadSize(command.size);
      return [{ type: 'pool.scaled', data: { poolId: poolOf(state, command).id, size: command.size } }];
    }
    case 'stop-pool': {
      const pool = poolOf(state, command);
      return pool.stopped ? [] : [{ type: 'pool.stopped', data: { poolId: pool.id } }];
    }
    case 'switch-pool': {
      const pool = poolOf(state, command);
      if (pool.disabled === command.disabled) return [];
      return [{ type: command.disabled ? 'pool.disabled' : 'pool.enabled', data: { poolId: pool.id } }];
    }
    case 'delete-pool':
      return [{ type: 'pool.deleted', data: { poolId: poolOf(state, command).id } }];
  }
}

function createPool(command: Extract<PoolCommand, { type: 'create-pool' }>, state: TenantState): PolicyEvent[] {
  const { poolId, pool: name, size, disabled, setup } = command;
  const { idleTimeoutSec, maxConcurrentPerNode, statementTimeoutMs, maxRows } = command;
  const database = databaseOf(state, command.database);
  if (!isName(name)) throw new DomainError('invalid_pool', { detail: 'the name of a pool must be printable text' });
  refuseBadSize(size);
  if (state.pools.some((pool) => sameName(pool.name, name))) throw new DomainError('pool_exists', { name });
  const limits = { idleTimeoutSec, maxConcurrentPerNode, statementTimeoutMs, maxRows };
  const setupVersion = setup ? 1 : null;
  const data = { poolId, databaseId: database.id, name, size, disabled, setupVersion, ...limits };
  return [{ type: 'pool.created', data }];
}

function refuseBadSize(size: number): void {
  if (!Number.isInteger(size) || size < 0 || size > MAXIMUM_SIZE) {
    throw new DomainError('invalid_pool', { detail: `the size of a pool is a whole number from 0 to ${MAXIMUM_SIZE}` });
  }
}
