/** What placement looks at of a node. */
export interface Load {
  /** Statements of this manager under way there. */
  readonly active: number;
  /** When it was last chosen, in any unit that rises; of equals the one left alone for longest is next. */
  readonly chosenAt: number;
}

/** Where a statement goes: to the node with the least to do. Undefined when there is none. */
export function leastLoaded<T extends Load>(
  nodes: readonly T[],
  sessions: (node: T) => number = () => 0,
): T | undefined {
  let best: T | undefined;
  for (const node of nodes) if (!best || compare(node, best, sessions) < 0) best = node;
  return best;
}

function compare<T extends Load>(a: T, b: T, sessions: (node: T) => number): number {
  return sessions(a) - sessions(b) || a.active - b.active || a.chosenAt - b.chosenAt;
}
