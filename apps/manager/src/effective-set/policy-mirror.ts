import { Inject, Injectable } from '@nestjs/common';
import { EventStore, type Queryable, type RecordedEvent, SYSTEM_STREAM } from '@gadwall/events';
import { foldName } from '@gadwall/rbac';
import { LRUCache } from 'lru-cache';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import type { PolicyVersions } from '../mutation';
import { READS } from '../postgres';
import { type PoolBinding, readBindings } from './pool-binding';
import { SystemMirror } from './system-mirror';
import { TenantMirror } from './tenant-mirror';

/** Tenants whose policy is held at once. */
const MAX_TENANTS = 1_000;

/** One tenant as gate 1 sees it at one pair of versions; good for the tick in which it was asked for. */
export interface TenantView {
  system: SystemMirror;
  tenant: TenantMirror;
  /** By folded pool name. */
  bindings: ReadonlyMap<string, PoolBinding>;
  versions: PolicyVersions;
}

/**
 * Policy in the memory of this manager: no statement reads the database. What this manager commits arrives here in the
 * commit's own turn; what another replica committed is read from the log when a node says that a handle is stale.
 */
@Injectable()
export class PolicyMirror {
  private readonly system: SystemMirror;
  private readonly tenants = new LRUCache<string, TenantMirror>({ max: MAX_TENANTS });
  private readonly bindings = new LRUCache<string, Map<string, PoolBinding>>({ max: MAX_TENANTS });
  private readonly loading = new Map<string, Promise<void>>();
  /** Moves when everything is forgotten: what was being read then is not kept. */
  private generation = 0;

  constructor(
    @Inject(READS) private readonly db: Queryable,
    private readonly events: EventStore,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
  ) {
    this.system = new SystemMirror(db, events);
    events.onCommitted((committed) => this.apply(committed));
  }

  /** Everything of one tenant, when it is all held and current; read in one tick, it is of one pair of versions. */
  view(id: string): TenantView | null {
    const tenant = this.tenants.get(id);
    const bindings = this.bindings.get(id);
    if (!tenant || !bindings || !this.system.fresh) return null;
    const versions = { tenant: tenant.version, system: this.system.version };
    return { system: this.system, tenant, bindings, versions };
  }

  /** Reads what `view` lacks. @throws DomainError `not_found`: there is no such tenant */
  async load(id: string): Promise<void> {
    let loading = this.loading.get(id);
    if (!loading) {
      loading = this.read(id).finally(() => this.loading.delete(id));
      this.loading.set(id, loading);
    }
    await loading;
  }

  private async read(id: string): Promise<void> {
    const { generation } = this;
    await this.system.catchUp();
    if (!this.tenants.has(id)) {
      const mirror = await TenantMirror.load(id, this.db, this.events, this.config.policies);
      if (generation !== this.generation) return;
      this.tenants.set(id, mirror);
      // What was committed while it was read was told to nobody.
      await this.catchUpTenant(id, mirror);
    }
    const mirror = this.tenants.get(id);
    if (!mirror || this.bindings.has(id)) return;
    const { version } = mirror;
    const rows = await readBindings(this.db, id);
    // Flags older than the version that they would stand for must not be kept.
    if (mirror.version === version && generation === this.generation)
      this.bindings.set(id, new Map(rows.map((row) => [foldName(row.pool), row])));
  }

  /** Brings a tenant, and `$system`, to what the log says now: for one who was told of a newer version. */
  async refresh(id: string): Promise<void> {
    await this.system.catchUp(await this.headOf(SYSTEM_STREAM));
    const mirror = this.tenants.get(id);
    if (mirror) await this.catchUpTenant(id, mirror);
  }

  /** After a failover or a restore: the log may lack what was read of it. */
  forgetAll(): void {
    this.generation++;
    this.tenants.clear();
    this.bindings.clear();
    this.system.forget();
  }

  private async catchUpTenant(id: string, mirror: TenantMirror): Promise<void> {
    const head = await this.headOf(id);
    if (head <= mirror.version) return;
    this.bindings.delete(id);
    await mirror.catchUp(head);
    this.bindings.delete(id);
  }

  private async headOf(stream: string): Promise<number> {
    const { rows } = await this.db.query<{ version: string }>('SELECT version FROM stream WHERE tenant = $1', [stream]);
    return Number(rows[0]?.version ?? 0);
  }

  private apply(events: readonly RecordedEvent[]): void {
    this.system.apply(events.filter(({ stream }) => stream === SYSTEM_STREAM));
    for (const id of new Set(events.map(({ stream }) => stream))) {
      const own = events.filter(({ stream }) => stream === id);
      if (own.some(({ type }) => /^(pool|database)\./.test(type))) this.bindings.delete(id);
      this.tenants.get(id)?.apply(own);
    }
    for (const { type, data } of events) if (type === 'tenant.deleted') this.forget(String(data.tenant));
  }

  private forget(id: string): void {
    this.tenants.delete(id);
    this.bindings.delete(id);
  }
}
