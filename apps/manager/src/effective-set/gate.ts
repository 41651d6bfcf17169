import { Inject, Injectable } from '@nestjs/common';
import { type Queryable, SYSTEM_STREAM } from '@gadwall/events';
import { DomainError, type EffectiveSet, superuserSet } from '@gadwall/rbac';
import type { Authenticated } from '../auth';
import { type PolicyVersions, refuseForeign } from '../mutation';
import { READS } from '../postgres';
import { EffectiveSets, type Resolved } from './effective-sets';

/** A pool with the database that it is bound to, as a door needs them. */
export interface PoolBinding {
  tenant: string;
  tenantDisabled: boolean;
  poolId: string;
  pool: string;
  poolDisabled: boolean;
  stopped: boolean;
  size: number;
  idleTimeoutSec: number | null;
  maxConcurrentPerNode: number | null;
  statementTimeoutMs: number | null;
  maxRows: number | null;
  databaseId: string;
  database: string;
  databaseKind: string;
  /** The catalog name on the node, and the schema that bare names are in. */
  defaultDatabase: string;
  defaultSchema: string;
  dataPath: string | null;
  readOnly: boolean;
}

/** A principal let through gate 1. */
export interface Admission {
  binding: PoolBinding;
  set: EffectiveSet;
  versions: PolicyVersions;
}

const BINDING = `SELECT p.tenant, t.disabled AS "tenantDisabled", p.id AS "poolId", p.name AS pool,
    p.disabled AS "poolDisabled", p.stopped, p.size, p.idle_timeout_sec AS "idleTimeoutSec",
    p.max_concurrent_per_node AS "maxConcurrentPerNode", p.statement_timeout_ms AS "statementTimeoutMs",
    p.max_rows::float8 AS "maxRows", d.id AS "databaseId", d.name AS database, d.kind AS "databaseKind",
    d.default_database AS "defaultDatabase", d.default_schema AS "defaultSchema", d.data_path AS "dataPath",
    d.read_only AS "readOnly"
  FROM pool p JOIN tenant t ON t.id = p.tenant JOIN tenant_db d ON d.tenant = p.tenant AND d.id = p.tenant_db_id`;

/** Gate 1, for every door. Source: seed 000, "Gate 1: handshake (pool-access)". */
@Injectable()
export class Gate {
  constructor(
    @Inject(READS) private readonly db: Queryable,
    private readonly sets: EffectiveSets,
  ) {}

  /** The pool of that name with its database; undefined when the tenant has none such. */
  async binding(tenant: string, pool: string): Promise<PoolBinding | undefined> {
    const { rows } = await this.db.query<PoolBinding>(
      `${BINDING} WHERE p.tenant = $1 AND lower(p.name COLLATE "C") = lower($2::text COLLATE "C")`,
      [tenant, pool],
    );
    return rows[0];
  }

  /** All pools with their databases, of one tenant or of all. */
  async bindings(tenant: string | null = null): Promise<PoolBinding[]> {
    const { rows } = await this.db.query<PoolBinding>(
      `${BINDING} WHERE $1::text IS NULL OR p.tenant = $1 ORDER BY p.tenant COLLATE "C", p.name COLLATE "C"`,
      [tenant],
    );
    return rows;
  }

  /**
   * Lets a principal through to a pool. A pool that is not there and one that is not granted are refused alike; the
   * switches of tenant and pool hold for superusers too.
   *
   * @throws DomainError `tenant_forbidden`, `revoked`, `user_disabled`, `tenant_disabled`, `pool_forbidden`, `pool_disabled`;
   *   `not_found` for superusers only
   */
  async admit(principal: Authenticated, tenant: string, pool: string): Promise<Admission> {
    refuseForeign(principal, tenant);
    const resolved = principal.userId === null ? null : await this.resolve(principal.userId);
    if (resolved !== null && !resolved.enabled) throw new DomainError('user_disabled');
    if (resolved?.tenantDisabled === true) throw new DomainError('tenant_disabled');
    const set = resolved?.set ?? superuserSet(principal.username);
    const versions = await this.versionsOf(tenant, resolved);
    const binding = await this.binding(tenant, pool);
    if (binding === undefined && set.tenant === null) throw new DomainError('not_found');
    if (binding === undefined || (set.pools !== '*' && !set.pools.includes(binding.poolId))) {
      throw new DomainError('pool_forbidden', { user: principal.username, pool });
    }
    if (binding.tenantDisabled) throw new DomainError('tenant_disabled');
    if (binding.poolDisabled) throw new DomainError('pool_disabled');
    return { binding, set, versions };
  }

  /** The set of the session's user, who may have been deleted since the session was checked. */
  private async resolve(userId: string): Promise<Resolved> {
    try {
      return await this.sets.resolve(userId);
    } catch (error) {
      if (error instanceof DomainError && error.reason === 'not_found') throw new DomainError('revoked_session');
      throw error;
    }
  }

  /**
   * The versions that an admission is of. They are read before the switches they stand for, so that an admission may be
   * newer than it says (the node then calls it stale, and it is asked for again) but never older.
   */
  private async versionsOf(tenant: string, resolved: Resolved | null): Promise<PolicyVersions> {
    if (resolved !== null && resolved.set.tenant !== null) return resolved.versions;
    const now = await this.versions(tenant);
    return { tenant: now.tenant, system: resolved?.versions.system ?? now.system };
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
