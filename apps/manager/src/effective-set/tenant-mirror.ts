import type { EventStore, Queryable, RecordedEvent } from '@gadwall/events';
import {
  DomainError,
  effectiveSet,
  type EffectiveSet,
  evolve,
  type PolicyEvent,
  type PolicySwitches,
  setDigest,
  type TenantState,
  touchOf,
  touchPaths,
  type UserEdges,
} from '@gadwall/rbac';
import { LRUCache } from 'lru-cache';
import { loadTenant, type TenantGraph } from '../mutation';
import { GraphIndex } from './graph-index';
import { HolderIndex } from './holder-index';

/** A tenant user as gate 1 looks at them, with what they are bound to. */
interface Account extends UserEdges {
  username: string;
  enabled: boolean;
}

/** A set with its digest: computed once, however many statements run under it. */
export interface HeldSet {
  set: EffectiveSet;
  digest: string;
}

/** Users whose edges are kept, a tenant: those with live sessions, not all there are. */
const MAX_ACCOUNTS = 20_000;
const NO_USERS = { users: [], userRoles: [], userGroups: [] };

/**
 * One tenant's policy in memory: the bounded graph whole, of its users the edges of those who were asked for, and the sets
 * that follow. All of one version; an event brings it to the next and drops only what it touches, so a change costs a
 * manager one step, not one for every session (DESIGN section 4, "Projections").
 */
export class TenantMirror {
  private state: TenantState;
  private accounts = new LRUCache<string, Account>({
    max: MAX_ACCOUNTS,
    dispose: (_, id) => {
      this.sets.delete(id);
      this.holders.remove(id);
    },
  });
  private sets = new Map<string, HeldSet>();
  private readonly holders = new HolderIndex();
  private reading: Promise<void> | null = null;
  private readonly index: GraphIndex;

  private constructor(
    private readonly tenant: string,
    private readonly db: Queryable,
    private readonly events: EventStore,
    private readonly switches: PolicySwitches,
    graph: TenantGraph,
    private current: number,
  ) {
    this.state = { ...graph, ...NO_USERS };
    this.index = new GraphIndex(this.state);
  }

  /** @throws DomainError `not_found` */
  static async load(
    tenant: string,
    db: Queryable,
    events: EventStore,
    switches: PolicySwitches,
  ): Promise<TenantMirror> {
    const { graph, versions } = await loadTenant(db, tenant, []);
    return new TenantMirror(tenant, db, events, switches, graph, versions.tenant);
  }

  /** The version that everything here is of. */
  get version(): number {
    return this.current;
  }

  /** The user and the set, if both are held at the version of now; read at once with `version`. */
  peek(userId: string): { account: Account; held: HeldSet } | null {
    const account = this.accounts.get(userId);
    if (!account) return null;
    let held = this.sets.get(userId);
    if (!held) {
      const profile = { ...account, pools: account.poolGrants.map(({ poolId }) => poolId) };
      const state = this.index.narrowed(this.state, account);
      const set = effectiveSet(state, account.username, profile, this.switches);
      held = { set, digest: setDigest(set) };
      this.sets.set(userId, held);
    }
    return { account, held };
  }

  /**
   * Reads a user's edges, of the version of the rest: mixing versions could make a set that never was.
   * @throws DomainError `not_found`
   */
  async read(userId: string): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const { state, versions } = await loadTenant(this.db, this.tenant, [userId], {
        version: this.current,
        graph: this.state,
      });
      if (versions.tenant > this.current) await this.catchUp(versions.tenant);
      if (versions.tenant !== this.current) continue;
      const user = state.users.find(({ id }) => id === userId);
      if (!user) throw new DomainError('not_found');
      const username = await this.username(userId, user.profileVersion);
      if (versions.tenant !== this.current) continue;
      const edges = edgesOf(state, userId);
      this.accounts.set(userId, { username, enabled: user.enabled, ...edges });
      this.holders.add(userId, edges);
      return;
    }
    throw new DomainError('authz_unavailable');
  }

  private async username(userId: string, version: number): Promise<string> {
    const { rows } = await this.db.query<{ username: string }>(
      'SELECT username FROM user_profile WHERE user_id = $1 AND version = $2',
      [userId, version],
    );
    const [row] = rows;
    if (!row) throw new DomainError('not_found');
    return row.username;
  }

  /** Takes the events of a commit; those that it has are passed over, a gap is read from the log. */
  apply(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (event.version === this.current + 1) this.step(event);
      else if (event.version > this.current) return void this.catchUp(event.version).catch(() => undefined);
    }
  }

  /** Brings everything to a version, by the log. */
  async catchUp(version: number): Promise<void> {
    while (this.current < version) {
      this.reading ??= this.readOn().finally(() => (this.reading = null));
      await this.reading;
    }
  }

  private async readOn(): Promise<void> {
    const events = await this.events.readStream(this.tenant, this.current);
    if (events.length === 0) throw new DomainError('authz_unavailable');
    for (const event of events) if (event.version === this.current + 1) this.step(event);
  }

  private step(recorded: RecordedEvent): void {
    const event = { type: recorded.type, data: recorded.data } as PolicyEvent;
    for (const userId of this.holders.reached(touchPaths(this.state, event))) {
      const account = this.accounts.peek(userId);
      const touch = account ? touchOf(this.state, event, userId, account) : 'nothing';
      if (touch === 'edges') this.accounts.delete(userId);
      else if (touch === 'set') this.sets.delete(userId);
    }
    this.state = graphOf(evolve(this.state, event));
    this.index.follow(this.state, event);
    this.current = recorded.version;
  }
}

/** The part that does not grow with the users: their own edges and grants are kept with them. */
function graphOf(state: TenantState): TenantState {
  const own = state.poolPermissions.some(({ userId }) => userId !== null);
  const poolPermissions = own ? state.poolPermissions.filter(({ userId }) => userId === null) : state.poolPermissions;
  return { ...state, ...NO_USERS, poolPermissions };
}

function edgesOf(state: TenantState, userId: string): UserEdges {
  return {
    roles: state.userRoles.filter((row) => row.userId === userId).map((row) => row.roleId),
    groups: state.userGroups.filter((row) => row.userId === userId).map((row) => row.groupId),
    poolGrants: state.poolPermissions.filter((row) => row.userId === userId).map(({ id, poolId }) => ({ id, poolId })),
  };
}
