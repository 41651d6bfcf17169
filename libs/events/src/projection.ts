import type { RecordedEvent } from './event';
import type { Queryable } from './queryable';

/**
 * Makes derived tables of events, inside the transaction that appends them.
 *
 * A replay of the log must give the same rows, so `apply` may depend on the event and on derived tables only: no clock, no
 * random ids, no side tables, and no schema in table names (a replay writes to tables of the same names elsewhere).
 * An event of another type is none of its business: it returns.
 */
export interface Projection {
  name: string;
  /** The tables it writes, those that others refer to first. */
  tables: string[];
  apply(db: Queryable, event: RecordedEvent): Promise<void>;
}
