import type { EventData, EventType } from '@gadwall/rbac';
import type { RecordedEvent } from '../event';
import type { Projection } from '../projection';
import type { Queryable } from '../queryable';
import type { Touch } from '../touch';

/** A recorded event of one type of the catalogue, its data in the newest schema. */
export type EventOf<T extends EventType> = Omit<RecordedEvent, 'type' | 'data'> & { type: T; data: EventData[T] };

/** What a projection does with events of one type; see `Projection`. */
export interface Applier<T extends EventType> {
  touches: 'alone' | ((event: EventOf<T>) => readonly Touch[]);
  apply(db: Queryable, events: readonly EventOf<T>[], staleKeys: Set<string>): Promise<unknown>;
}

/** What a projection does with the types that concern it. */
export type Appliers = { readonly [T in EventType]?: Applier<T> };

/** A projection written as one statement per event type; it ignores all others. */
export function typedProjection(name: string, tables: string[], appliers: Appliers): Projection {
  const byType = new Map(Object.entries(appliers)) as unknown as Map<string, Applier<EventType>>;
  return {
    name,
    tables,
    touches(event) {
      const touches = byType.get(event.type)?.touches ?? NOTHING;
      return touches === 'alone' ? touches : touches(event as EventOf<EventType>);
    },
    async apply(db, events, staleKeys) {
      await byType.get(events[0]?.type ?? '')?.apply(db, events as readonly EventOf<EventType>[], staleKeys);
    },
  };
}

const NOTHING = (): readonly Touch[] => [];

/** The parameters of a statement on `unnest($1::…[], $2::…[], …)`: one array a column, one place in each an event. */
export function columns<E>(events: readonly E[], rowOf: (event: E) => readonly unknown[]): unknown[][] {
  const rows = events.map(rowOf);
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}
