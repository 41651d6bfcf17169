import { schedule } from './schedule';
import type { RecordedEvent } from './event';
import type { Projection } from './projection';
import type { Queryable } from './queryable';
import type { Touch } from './touch';

/**
 * Applies events to the derived tables, with the outcome of one after the other, in as few statements as their order allows.
 * The one way from events to tables, of a mutation and of a replay alike.
 *
 * @param staleKeys the users whose membership keys are to be renewed when all events were applied: `renewMembershipKeys`
 */
export async function applyEvents(
  db: Queryable,
  projections: readonly Projection[],
  events: readonly RecordedEvent[],
  staleKeys: Set<string>,
): Promise<void> {
  for (const group of schedule(events, (event) => touchesOf(projections, event))) {
    for (const projection of projections) await projection.apply(db, group, staleKeys);
  }
}

function touchesOf(projections: readonly Projection[], event: RecordedEvent): readonly Touch[] | 'alone' {
  const all: Touch[] = [];
  for (const projection of projections) {
    const touches = projection.touches?.(event) ?? 'alone';
    if (touches === 'alone') return 'alone';
    all.push(...touches);
  }
  return all;
}
