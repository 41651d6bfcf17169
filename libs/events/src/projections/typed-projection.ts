import type { EventData, EventType } from '@gadwall/rbac';
import type { RecordedEvent } from '../event';
import type { Projection } from '../projection';
import type { Queryable } from '../queryable';

/** A recorded event of one type of the catalogue, its data in the newest schema. */
export type EventOf<T extends EventType> = Omit<RecordedEvent, 'type' | 'data'> & { type: T; data: EventData[T] };

/** What a projection does with the types that concern it. */
export type Appliers = { readonly [T in EventType]?: (db: Queryable, event: EventOf<T>) => Promise<unknown> };

/** A projection written as one function per event type; it ignores all others. */
export function typedProjection(name: string, tables: string[], appliers: Appliers): Projection {
  const byType = new Map(Object.entries(appliers)) as Map<
    string,
    (db: Queryable, event: RecordedEvent) => Promise<unknown>
  >;
  return {
    name,
    tables,
    async apply(db, event) {
      await byType.get(event.type)?.(db, event);
    },
  };
}
