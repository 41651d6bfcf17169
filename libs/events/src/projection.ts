import type { RecordedEvent } from './event';
import type { Queryable } from './queryable';
import type { Touch } from './touch';

/**
 * Makes derived tables of events, inside the transaction that appends them.
 *
 * A replay of the log must give the same rows, so `apply` may depend on the events and on derived tables only: no clock, no
 * random ids, no side tables, and no schema in table names (a replay writes to tables of the same names elsewhere).
 * Events of another type are none of its business: it returns.
 */
export interface Projection {
  name: string;
  /** The tables it writes, those that others refer to first. */
  tables: string[];
  /**
   * What an event touches: all that its outcome depends on or changes, so that events that touch different things may change
   * places. `alone`, and without this function any event, keeps its place, and is applied by itself.
   */
  touches?(event: RecordedEvent): readonly Touch[] | 'alone';
  /**
   * Applies events of one type, in any order: none touches what another does.
   *
   * @param staleKeys where it puts the ids of users whose edges or own pool grants it changes: their membership keys are
   *   renewed later, once for many events
   */
  apply(db: Queryable, events: readonly RecordedEvent[], staleKeys: Set<string>): Promise<void>;
}
