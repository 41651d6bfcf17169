/**
 * One thing that an event has to do with, and how. Two events may change places unless one waits for the other:
 *
 * - `changes` (makes, changes or removes the thing) waits for whatever was about it before;
 * - `needs` (refers to it, and leaves it as it is) waits for changes;
 * - `frees` (removes one of a set in which no two may be alike) waits for nothing: to be gone earlier does no harm;
 * - `fills` (adds one to such a set) waits for those that free.
 */
export interface Touch {
  key: string;
  way: Way;
}

type Way = 'changes' | 'needs' | 'frees' | 'fills';

/** The ways of touching a thing that an event touching it in this way waits for. */
export const WAITS_FOR: Readonly<Record<Way, readonly Way[]>> = {
  changes: ['changes', 'needs'],
  needs: ['changes'],
  frees: [],
  fills: ['frees'],
};

/** A touch of a thing, which its kind and id name. */
export function touch(way: Way, kind: string, ...id: string[]): Touch {
  return { key: `${kind} ${id.join(' ')}`, way };
}
