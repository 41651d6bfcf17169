import type { RecordedEvent } from './event';
import { WAITS_FOR, type Touch } from './touch';

/** The last group with an event that touches a key, by the way in which it does. */
type Uses = Partial<Record<Touch['way'], number>>;

/**
 * Sorts events into groups of one type, whose one-after-the-other application has the outcome of the events in their order:
 * an event goes into the earliest group of its type that lies after the groups of all events before it that it waits for
 * (`WAITS_FOR`). So no two events change places that could tell the difference, and none waits for another of its group.
 */
export function schedule(
  events: readonly RecordedEvent[],
  touchesOf: (event: RecordedEvent) => readonly Touch[] | 'alone',
): RecordedEvent[][] {
  const groups: RecordedEvent[][] = [];
  const byType = new Map<string, number[]>();
  const uses = new Map<string, Uses>();
  for (const event of events) {
    const touches = touchesOf(event);
    if (touches === 'alone') {
      groups.push([event]);
      // Whatever comes later goes behind it.
      byType.clear();
      uses.clear();
      continue;
    }
    const place = placeOf(event.type, earliest(touches, uses), groups.length, byType);
    (groups[place] ??= []).push(event);
    for (const { key, way } of touches) {
      const used = uses.get(key) ?? {};
      used[way] = Math.max(used[way] ?? 0, place);
      uses.set(key, used);
    }
  }
  return groups;
}

/** The place from which on an event that touches these may go. */
function earliest(touches: readonly Touch[], uses: ReadonlyMap<string, Uses>): number {
  let from = 0;
  for (const { key, way } of touches) {
    const used = uses.get(key);
    if (used) for (const before of WAITS_FOR[way]) from = Math.max(from, (used[before] ?? -1) + 1);
  }
  return from;
}

/** The first group of the type from a place on, or a new one at the end. */
function placeOf(type: string, from: number, end: number, byType: Map<string, number[]>): number {
  const places = byType.get(type) ?? [];
  byType.set(type, places);
  const found = places.find((place) => place >= from);
  if (found === undefined) places.push(end);
  return found ?? end;
}
