import { Inject, Injectable } from '@nestjs/common';
import { type Queryable, SYSTEM_STREAM } from '@gadwall/events';
import { DomainError, effectiveSet, type EffectiveSet, profileOf, superuserSet } from '@gadwall/rbac';
import { LRUCache } from 'lru-cache';
import { loadTenant, type PolicyVersions, type TenantGraph } from '../mutation';
import { READS } from '../postgres';

/** A user's set with the versions that it was read at, and the switches that gate 1 looks at. */
export interface Resolved {
  set: EffectiveSet;
  versions: PolicyVersions;
  enabled: boolean;
  tenantDisabled: boolean;
}

interface AccountRow {
  tenant: string | null;
  username: string;
  enabled: boolean;
  tenant_disabled: boolean;
  tenant_version: string;
  system_version: string;
}

const CACHED_SETS = 10_000;
const CACHED_GRAPHS = 200;

/**
 * EffectiveSets of users, each read in one snapshot with its versions and kept in process under exactly these: a commit
 * moves a version, so what is kept is never older than what the tables say when it is asked for.
 */
@Injectable()
export class EffectiveSets {
  private readonly sets = new LRUCache<string, EffectiveSet>({ max: CACHED_SETS });

  /** The newest graph seen of each tenant: what a user's set takes besides their own edges. */
  private readonly graphs = new LRUCache<string, { version: number; graph: TenantGraph }>({ max: CACHED_GRAPHS });

  constructor(@Inject(READS) private readonly db: Queryable) {}

  /**
   * The set of a user, at versions no older than at the time of the call.
   *
   * @throws DomainError `not_found`: there is no such user (any more)
   */
  async resolve(userId: string): Promise<Resolved> {
    const account = await this.account(userId);
    const { enabled, tenant_disabled: tenantDisabled } = account;
    const versions = { tenant: Number(account.tenant_version), system: Number(account.system_version) };
    if (account.tenant === null) return { set: superuserSet(account.username), versions, enabled, tenantDisabled };
    const kept = this.sets.get(keyOf(userId, versions));
    if (kept !== undefined) return { set: kept, versions, enabled, tenantDisabled };
    return this.read(userId, account.tenant, account.username);
  }

  private async read(userId: string, tenant: string, username: string): Promise<Resolved> {
    const snapshot = await loadTenant(this.db, tenant, [userId], this.graphs.get(tenant));
    const { state, disabled, versions } = snapshot;
    this.graphs.set(tenant, { version: versions.tenant, graph: snapshot.graph });
    const user = state.users.find((candidate) => candidate.id === userId);
    if (user === undefined) throw new DomainError('not_found');
    const set = effectiveSet(state, username, profileOf(state, userId));
    this.sets.set(keyOf(userId, versions), set);
    return { set, versions, enabled: user.enabled, tenantDisabled: disabled };
  }

  private async account(userId: string): Promise<AccountRow> {
    const { rows } = await this.db.query<AccountRow>(
      `SELECT u.tenant, p.username, u.enabled, coalesce(t.disabled, false) AS tenant_disabled,
              coalesce(s.version, 0) AS tenant_version, y.version AS system_version
       FROM app_user u JOIN user_profile p ON p.user_id = u.id AND p.version = u.profile_version
         JOIN stream y ON y.tenant = $2
         LEFT JOIN tenant t ON t.id = u.tenant LEFT JOIN stream s ON s.tenant = u.tenant
       WHERE u.id = $1`,
      [userId, SYSTEM_STREAM],
    );
    const [account] = rows;
    if (account === undefined) throw new DomainError('not_found');
    return account;
  }
}

const keyOf = (userId: string, { tenant, system }: PolicyVersions): string => `${userId} ${tenant} ${system}`;
