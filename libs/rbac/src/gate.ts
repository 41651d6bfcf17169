import { DomainError } from './errors';
import type { EffectiveSet } from './model';

/** Who asks for a pool, at one policy version. */
export interface PoolCaller {
  username: string;
  enabled: boolean;
  set: Pick<EffectiveSet, 'tenant' | 'pools'>;
  /** Whether the caller's own tenant is there and not switched off; says nothing of a superuser. */
  tenantInService: boolean;
}

/** A pool as gate 1 sees it. */
export interface GatedPool {
  poolId: string;
  poolDisabled: boolean;
  /** Whether the tenant that it belongs to is there and not switched off. */
  tenantInService: boolean;
}

/**
 * Gate 1: lets a principal through to a pool. A pool that is not there and one that is not granted are refused alike; the
 * switches of tenant and pool hold for superusers too. Source: seed 000, "Gate 1: handshake (pool-access)".
 *
 * @param pool its name, as it was asked for
 * @param gated undefined = the tenant has none of that name
 * @throws DomainError `user_disabled`, `tenant_disabled`, `pool_forbidden`, `pool_disabled`; `not_found` for superusers only
 */
export function admitToPool<P extends GatedPool>(caller: PoolCaller, pool: string, gated: P | undefined): P {
  const { username, enabled, set, tenantInService } = caller;
  if (!enabled) throw new DomainError('user_disabled');
  if (set.tenant !== null && !tenantInService) throw new DomainError('tenant_disabled');
  if (!gated && set.tenant === null) throw new DomainError('not_found');
  if (!gated || (set.pools !== '*' && !set.pools.includes(gated.poolId))) {
    throw new DomainError('pool_forbidden', { user: username, pool });
  }
  if (!gated.tenantInService) throw new DomainError('tenant_disabled');
  if (gated.poolDisabled) throw new DomainError('pool_disabled');
  return gated;
}
