import { v7 as uuidv7 } from 'uuid';
import type { Pool } from 'pg';
import { applyEvents } from './apply-events';
import { CommitOrder } from './commit-order';
import { VersionConflict } from './errors';
import { EVENT_COLUMNS, insertEvents, recordedEvent, type EventRow } from './event-row';
import { canonicalData, eventHash } from './hash';
import { renewMembershipKeys } from './projections/membership-key';
import { inTransaction, queryable, type Queryable } from './queryable';
import { createStreams, lockStreams, moveHeads, readHeads, type Head, type StreamSelection } from './streams';
import type { EventCatalogue } from './catalogue';
import type { MutationContext, NewEvent, RecordedEvent } from './event';
import type { Projection } from './projection';

/** What `decide` sees: the transaction, and the versions of the locked streams (a stream that does not exist is not in it). */
export interface MutationTransaction {
  db: Queryable;
  versions: Record<string, number>;
}

/** What a mutation decided. Without events nothing is appended and no version moves. */
export interface Decision<T> {
  events: NewEvent[];
  result: T;
}

/** What a mutation committed. `versions` are those of all streams that it locked. */
export interface Committed<T> {
  result: T;
  events: RecordedEvent[];
  versions: Record<string, number>;
  /** Where these streams stand, hashes too. */
  heads: Record<string, Head>;
}

export type CommitListener = (events: RecordedEvent[], versions: Record<string, number>) => void;

export interface EventStoreOptions {
  /** When given, an event is appended in a known type's newest schema only, and what is read is brought to it. */
  catalogue?: EventCatalogue;
  now?: () => Date;
  /** UUIDv7. */
  newId?: () => string;
  /** A listener threw: the mutation stands. Default: a process warning. */
  onListenerError?: (error: unknown) => void;
}

// Whatever the server's default is: what a waiter for a lock reads next must be what was committed meanwhile.
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** The log of events on PostgreSQL, with its inline projections. Source: DESIGN section 4. */
export class EventStore {
  private readonly listeners = new Set<CommitListener>();
  private readonly order = new CommitOrder();

  constructor(
    private readonly pool: Pool,
    private readonly projections: readonly Projection[],
    private readonly options: EventStoreOptions = {},
  ) {}

  /**
   * One mutation, one transaction: locks the streams (`$system` first, then tenants by id), runs `decide` under the locks,
   * appends its events with gap-free versions, applies the projections, brings `tenant.policy_version` of the locked streams
   * to their version, commits, then calls the listeners.
   *
   * Streams that are named together with `$system` and do not exist are made, if there are events: who makes a tenant names
   * both. A tenant that is made again goes on with its old stream.
   *
   * @param options.expected versions that the streams must have
   * @throws VersionConflict; whatever `decide` throws, as it is; a database error. Then nothing has changed, unless the
   *   connection broke during COMMIT: the outcome is not known then
   */
  async mutate<T>(
    context: MutationContext,
    streams: StreamSelection,
    decide: (tx: MutationTransaction) => Promise<Decision<T>>,
    options: { expected?: Record<string, number> } = {},
  ): Promise<Committed<T>> {
    let leave = () => {};
    try {
      const { before, committed } = await inTransaction(this.pool, BEGIN, async (db) => {
        const heads = await lockStreams(db, streams);
        const place = this.order.enter([...heads.keys()]);
        leave = place.leave;
        requireVersions(heads, options.expected ?? {});
        const decision = await decide({ db, versions: versionsOf(heads) });
        const events = await this.append(db, context, heads, decision.events);
        const committed = {
          result: decision.result,
          events,
          versions: versionsOf(heads),
          heads: Object.fromEntries(heads),
        };
        return { before: place.before, committed };
      });
      await before;
      if (committed.events.length > 0) this.tell(committed);
      return committed;
    } finally {
      leave();
    }
  }

  /** Calls `listener` after each commit of this store, in the order of each stream, with what was committed. */
  onCommitted(listener: CommitListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The feed of one stream: its events after a version, oldest first, in their newest schema. */
  async readStream(stream: string, afterVersion: number, limit = 1000): Promise<RecordedEvent[]> {
    const { rows } = await this.pool.query<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE tenant = $1 AND version > $2 ORDER BY version LIMIT $3`,
      [stream, afterVersion, limit],
    );
    return rows.map((row) => this.upcast(recordedEvent(row)));
  }

  /** Version and hash of the last event of every stream. */
  async heads(): Promise<Record<string, Head>> {
    return Object.fromEntries(await readHeads(queryable(this.pool)));
  }

  /** Appends, projects, and moves `heads` on. */
  private async append(
    db: Queryable,
    context: MutationContext,
    heads: Map<string, Head>,
    events: NewEvent[],
  ): Promise<RecordedEvent[]> {
    if (events.length === 0) return [];
    const unborn = [...heads].filter(([, head]) => head.version === 0).map(([stream]) => stream);
    if (unborn.length > 0) await createStreams(db, unborn);
    const rows = this.rowsOf(context, heads, events);
    const positions = await insertEvents(db, rows);
    const recorded = rows.map((row, i) => this.upcast(recordedEvent({ ...row, position: positions[i] ?? '' })));
    const staleKeys = new Set<string>();
    await applyEvents(db, this.projections, recorded, staleKeys);
    await renewMembershipKeys(db, staleKeys);
    await moveHeads(db, heads);
    return recorded;
  }

  /** The rows of new events, chained to their streams' heads, which it moves on. */
  private rowsOf(context: MutationContext, heads: Map<string, Head>, events: NewEvent[]): Omit<EventRow, 'position'>[] {
    const at = this.options.now?.() ?? new Date();
    return events.map((event) => {
      this.options.catalogue?.requireNewest(event);
      const head = heads.get(event.stream);
      if (!head) throw new Error(`event ${event.type}: stream ${event.stream} is not locked or does not exist`);
      const content = {
        stream: event.stream,
        version: head.version + 1,
        id: this.options.newId?.() ?? uuidv7(),
        type: event.type,
        schema: event.schema,
        data: canonicalData(event.data),
        actor: context.actor.id,
        actorKind: context.actor.kind,
        requestId: context.requestId,
        causationId: context.causationId ?? null,
        at,
        prevHash: head.hash,
      };
      const hash = eventHash(content);
      heads.set(event.stream, { version: content.version, hash });
      return {
        tenant: content.stream,
        version: String(content.version),
        id: content.id,
        type: content.type,
        schema: content.schema,
        data: content.data,
        actor: content.actor,
        actor_kind: content.actorKind,
        request_id: content.requestId,
        causation_id: content.causationId,
        at,
        prev_hash: content.prevHash,
        hash,
      };
    });
  }

  private upcast(event: RecordedEvent): RecordedEvent {
    return this.options.catalogue?.upcast(event) ?? event;
  }

  private tell({ events, versions }: Committed<unknown>): void {
    for (const listener of this.listeners) {
      try {
        listener(events, versions);
      } catch (error) {
        if (this.options.onListenerError) this.options.onListenerError(error);
        else process.emitWarning(error instanceof Error ? error : String(error), 'CommitListenerError');
      }
    }
  }
}

function requireVersions(heads: Map<string, Head>, expected: Record<string, number>): void {
  for (const [stream, version] of Object.entries(expected)) {
    const actual = heads.get(stream)?.version ?? 0;
    if (actual !== version) throw new VersionConflict(stream, version, actual);
  }
}

function versionsOf(heads: Map<string, Head>): Record<string, number> {
  return Object.fromEntries([...heads].map(([stream, head]) => [stream, head.version]));
}
