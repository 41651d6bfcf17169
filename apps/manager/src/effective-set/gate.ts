import { Inject, Injectable } from '@nestjs/common';
import { type Queryable, SYSTEM_STREAM } from '@gadwall/events';
import { admitToPool, DomainError, foldName, setDigest, superuserSet } from '@gadwall/rbac';
import type { Authenticated } from '../auth';
import { type PolicyVersions, refuseForeign } from '../mutation';
import { READS } from '../postgres';
import { PolicyMirror, type TenantView } from './policy-mirror';
import { type PoolBinding, readBindings } from './pool-binding';
import type { HeldSet } from './tenant-mirror';

/** A principal let through gate 1. */
export interface Admission extends HeldSet {
  binding: PoolBinding;
  versions: PolicyVersions;
}

/** How often an admission is tried anew while the policy moves under it. */
const MAX_TRIES = 100;

/** Gate 1, for every door. Source: seed 000, "Gate 1: handshake (pool-access)". */
@Injectable()
export class Gate {
  constructor(
    @Inject(READS) private readonly db: Queryable,
    private readonly mirror: PolicyMirror,
  ) {}

  /** The pool of that name with its database; undefined when the tenant has none such. */
  async binding(tenant: string, pool: string): Promise<PoolBinding | undefined> {
    return (await readBindings(this.db, tenant)).find((row) => foldName(row.pool) === foldName(pool));
  }

  /** All pools with their databases, of one tenant or of all. */
  bindings(tenant: string | null = null): Promise<PoolBinding[]> {
    return readBindings(this.db, tenant);
  }

  /**
   * Lets a principal through to a pool. A pool that is not there and one that is not granted are refused alike; the
   * switches of tenant and pool hold for superusers too. Everything that the answer rests on is of the versions in it.
   *
   * @throws DomainError `tenant_forbidden`, `revoked`, `user_disabled`, `tenant_disabled`, `pool_forbidden`, `pool_disabled`;
   *   `not_found` for superusers only
   */
  async admit(principal: Authenticated, tenant: string, pool: string): Promise<Admission> {
    refuseForeign(principal, tenant);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const view = this.mirror.view(tenant);
      if (!view) await this.mirror.load(tenant);
      else {
        const user = userOf(principal, view);
        if (user) return admitted(principal, user, view, pool);
        await view.tenant.read(principal.userId ?? '').catch(gone);
      }
    }
    throw new DomainError('authz_unavailable');
  }

  /** What is held is of a history of the store that has ended. */
  forget(): void {
    this.mirror.forgetAll();
  }

  /** For one who heard of a newer version than `admit` gave: reads it from the log. */
  refresh(tenant: string): Promise<void> {
    return this.mirror.refresh(tenant);
  }

  /** The versions that a statement of anyone in that tenant depends on. */
  async versions(tenant: string): Promise<PolicyVersions> {
    const { rows } = await this.db.query<{ tenant: string; version: string }>(
      'SELECT tenant, version FROM stream WHERE tenant = ANY($1)',
      [[tenant, SYSTEM_STREAM]],
    );
    const of = (stream: string): number => Number(rows.find((row) => row.tenant === stream)?.version ?? 0);
    return { tenant: of(tenant), system: of(SYSTEM_STREAM) };
  }
}

interface User {
  enabled: boolean;
  held: HeldSet;
}

/** The static key's set: it is nobody's account. */
const staticKeys = new Map<string, HeldSet>();

/** Who asks, of the view's versions; null when a tenant user is not held yet. */
function userOf(principal: Authenticated, view: TenantView): User | null {
  if (principal.userId === null) {
    const set = superuserSet(principal.username);
    const held = staticKeys.get(principal.username) ?? { set, digest: setDigest(set) };
    staticKeys.set(principal.username, held);
    return { enabled: true, held };
  }
  if (principal.tenant === null) {
    const superuser = view.system.superuser(principal.userId);
    if (!superuser) throw new DomainError('revoked_session');
    return superuser;
  }
  const known = view.tenant.peek(principal.userId);
  return known && { enabled: known.account.enabled, held: known.held };
}

/** The session of an account that is gone is over. */
function gone(error: unknown): never {
  if (error instanceof DomainError && error.reason === 'not_found') throw new DomainError('revoked_session');
  throw error;
}

function admitted(
  principal: Authenticated,
  { enabled, held }: User,
  { system, bindings, versions }: TenantView,
  pool: string,
): Admission {
  const { set } = held;
  const inService = (id: string): boolean => system.tenant(id)?.disabled === false;
  const bound = bindings.get(foldName(pool));
  const binding = bound && { ...bound, tenantInService: inService(bound.tenant) };
  const tenantInService = set.tenant !== null && inService(set.tenant);
  const caller = { username: principal.username, enabled, set, tenantInService };
  return { ...held, binding: admitToPool(caller, pool, binding), versions };
}
