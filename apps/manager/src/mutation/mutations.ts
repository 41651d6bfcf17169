import { Injectable } from '@nestjs/common';
import {
  type Committed,
  EventStore,
  type Actor as RecordedActor,
  type MutationContext,
  type NewEvent,
  type Queryable,
  type StreamHead,
  SYSTEM_STREAM,
} from '@gadwall/events';
import {
  type Actor,
  decide,
  decideSystem,
  DomainError,
  evolve,
  guardChange,
  POLICY_EVENTS,
  type PolicyCommand,
  type PolicyEvent,
  type SystemCommand,
  type SystemState,
  type TenantState,
} from '@gadwall/rbac';
import { Audit } from '../audit';
import type { Authenticated, Caller } from '../auth';
import { Barriers } from '../leases';
import { Mutated } from './mutated';
import { loadProfiles, loadSystemState, loadTenant } from './tenant-state';

/** Several commands that are one change, with users whose edges they need besides those that they name. */
export interface CommandList {
  commands: readonly PolicyCommand[];
  users: readonly string[];
}

/** A change of one tenant. */
export interface TenantChange<T> {
  /** What is asked, or how to find out inside the transaction. */
  command: PolicyCommand | ((db: Queryable) => Promise<PolicyCommand | CommandList>);
  /** Users whose edges the decision needs besides those that the command names. */
  users?: string[];
  /** The caller changes their own account: they need no management rights for it. */
  own?: boolean;
  /** Writes to side tables, in the same transaction, after the change was judged. */
  effects?: (db: Queryable, decision: { events: readonly PolicyEvent[]; after: TenantState }) => Promise<void>;
  /** What the mutation gives, of the state after it. */
  result?: (after: TenantState) => T;
}

/** A change of `$system`. */
export interface SystemChange {
  command: SystemCommand;
  /** Writes to side tables, in the same transaction. */
  effects?: (db: Queryable, decision: { events: readonly PolicyEvent[]; before: SystemState }) => Promise<void>;
}

/** The way of every mutation: lock, load, check the actor, decide, guard, append. Source: DESIGN section 4. */
@Injectable()
export class Mutations {
  constructor(
    private readonly store: EventStore,
    private readonly audit: Audit,
    private readonly barriers: Barriers,
  ) {}

  /** Changes one tenant. */
  async inTenant<T = void>(caller: Caller, tenant: string, change: TenantChange<T>): Promise<Mutated<T>> {
    const { principal } = caller;
    return this.audited(caller, tenant, async () => {
      const committed = await this.store.mutate(contextOf(caller), [tenant], async ({ db }) => {
        await requireAuthority(db, principal, tenant, change.own ? 'own account' : 'administration');
        const asked = typeof change.command === 'function' ? await change.command(db) : change.command;
        const { commands, users: more } = 'commands' in asked ? asked : { commands: [asked], users: [] };
        const named = commands.flatMap(usersOf);
        if (change.own && !named.every((id) => id === principal.userId)) throw new DomainError('admin_required');
        const users = [...named, ...more, ...(change.users ?? []), ...(principal.userId ? [principal.userId] : [])];
        const { state: before, versions: current } = await loadTenant(db, tenant, users);
        const { events, after } = decideAll(commands, before, actorOf(principal));
        if (!principal.superuser && principal.userId !== null) {
          await guardChange({ before, after, events, actorId: principal.userId }, () => loadProfiles(db, tenant));
        }
        await change.effects?.(db, { events, after });
        return {
          events: recordedIn(tenant, events),
          result: { value: change.result?.(after) as T, system: current.system },
        };
      });
      const { value, system } = committed.result;
      const versions = { tenant: committed.versions[tenant] ?? 0, system };
      return new Mutated(value, versions, this.barriers.open(headsOf(committed)));
    });
  }

  /** Changes `$system`, and with it the stream of a tenant that is made or deleted. */
  async inSystem(caller: Caller, change: SystemChange): Promise<Mutated<void>> {
    const { command } = change;
    const tenant = 'tenant' in command ? command.tenant : null;
    return this.audited(caller, tenant, async () => {
      const streams = tenant === null ? [SYSTEM_STREAM] : [SYSTEM_STREAM, tenant];
      const committed = await this.store.mutate(contextOf(caller), streams, async ({ db }) => {
        await requireAuthority(db, caller.principal, null, 'administration');
        const before = await loadSystemState(db);
        const decision = decideSystem(command, before, actorOf(caller.principal));
        await change.effects?.(db, { events: decision.system, before });
        const events = [...recordedIn(SYSTEM_STREAM, decision.system), ...recordedIn(tenant ?? '', decision.tenant)];
        return { events, result: undefined };
      });
      const { versions } = committed;
      const moved = {
        tenant: tenant === null ? 0 : (versions[tenant] ?? 0),
        system: versions[SYSTEM_STREAM] ?? 0,
      };
      return new Mutated(undefined, moved, this.barriers.open(headsOf(committed)));
    });
  }

  /** A refused attempt leaves an audit record; what succeeds is in the log of events itself. */
  private async audited<T>(caller: Caller, tenant: string | null, mutate: () => Promise<T>): Promise<T> {
    try {
      return await mutate();
    } catch (error) {
      if (error instanceof DomainError && error.status === 403) {
        const { userId } = caller.principal;
        await this.audit.record({
          family: 'control-plane',
          action: 'mutation.refused',
          actor: userId,
          tenant,
          outcome: 'denied',
          detail: { code: error.code, requestId: caller.requestId },
        });
      }
      throw error;
    }
  }
}

/** The events of commands one after another, each decided on what those before it left. */
function decideAll(commands: readonly PolicyCommand[], before: TenantState, actor: Actor) {
  let after = before;
  const events = commands.flatMap((command) => {
    const decided = decide(command, after, actor);
    after = decided.reduce(evolve, after);
    return decided;
  });
  return { events, after };
}

const actorOf = ({ superuser, userId }: Authenticated): Actor => ({ superuser, userId });

function contextOf({ principal, requestId }: Caller): MutationContext {
  const kind: RecordedActor['kind'] =
    principal.userId === null ? 'api-key' : principal.superuser ? 'superuser' : 'user';
  return { actor: { kind, id: principal.userId }, requestId };
}

function recordedIn(stream: string, events: readonly PolicyEvent[]): NewEvent[] {
  return events.map(({ type, data }) => ({ stream, type, schema: POLICY_EVENTS[type].schema, data: { ...data } }));
}

/** One that changed nothing waits too: it says that what it asked for is in force. */
function headsOf({ heads }: Committed<unknown>): StreamHead[] {
  return Object.entries(heads).map(([stream, head]) => ({ stream, ...head }));
}

/** The users that a command names. */
function usersOf(command: PolicyCommand): string[] {
  return 'userId' in command && command.userId !== null ? [command.userId] : [];
}

/**
 * Checks under the lock that the actor still may: a session checked a moment ago says nothing about now. The static key
 * is no user and has nothing that could have been taken away.
 */
async function requireAuthority(
  db: Queryable,
  principal: Authenticated,
  tenant: string | null,
  over: 'administration' | 'own account',
): Promise<void> {
  if (!principal.superuser && (tenant === null || principal.tenant !== tenant)) {
    throw new DomainError(tenant === null ? 'superuser_required' : 'tenant_forbidden', { what: 'this call' });
  }
  if (principal.userId === null) return;
  const { rows } = await db.query<{ tenant: string | null; kind: string; enabled: boolean }>(
    'SELECT tenant, kind, enabled FROM app_user WHERE id = $1',
    [principal.userId],
  );
  const [account] = rows;
  if (account === undefined || !account.enabled || account.tenant !== principal.tenant) {
    throw new DomainError('revoked_session');
  }
  if (over === 'administration' && account.tenant !== null && account.kind !== 'admin')
    throw new DomainError('admin_required');
}
