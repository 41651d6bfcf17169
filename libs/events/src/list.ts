import { EVENT_COLUMNS, recordedEvent, type EventRow } from './event-row';
import type { RecordedEvent } from './event';
import type { Queryable } from './queryable';

/** Which events to show. */
export interface EventFilter {
  stream?: string;
  type?: string;
  actor?: string;
  since?: Date;
  until?: Date;
}

/** The last `limit` events that match, oldest first, as they were written: not upcast, so that none is kept back. */
export async function listEvents(db: Queryable, filter: EventFilter, limit: number): Promise<RecordedEvent[]> {
  const { rows } = await db.query<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM event
     WHERE ($1::text IS NULL OR tenant = $1) AND ($2::text IS NULL OR type = $2) AND ($3::text IS NULL OR actor = $3)
       AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at < $5)
     ORDER BY position DESC LIMIT $6`,
    [filter.stream, filter.type, filter.actor, filter.since?.toISOString(), filter.until?.toISOString(), limit],
  );
  return rows.map(recordedEvent).reverse();
}
