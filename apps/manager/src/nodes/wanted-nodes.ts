import type { PoolBinding } from '../effective-set';

/** A node that should run. */
export interface WantedNode {
  /** Its process's, the same through all its lives. */
  name: string;
  databaseId: string;
  /** The one pool that it serves; null = every pool bound to the database. */
  poolId: string | null;
}

type Binding = Pick<PoolBinding, 'poolId' | 'databaseId' | 'databaseKind' | 'readOnly' | 'stopped' | 'size'>;

function isServed({ stopped, size, databaseKind }: Binding): boolean {
  // DuckLake is taken as a kind, but no node opens it yet.
  return !stopped && size > 0 && databaseKind !== 'ducklake';
}

/**
 * The nodes that pools need. A database that one process only can hold has one node, for every pool bound to it and
 * whatever their sizes; of a read-only one in memory each node seeds a copy of its own, and a pool has as many as its size.
 */
export function wantedNodes(bindings: readonly Binding[]): WantedNode[] {
  const wanted = new Map<string, WantedNode>();
  for (const binding of bindings.filter(isServed)) {
    for (const node of nodesOf(binding)) wanted.set(node.name, node);
  }
  return [...wanted.values()];
}

/** Whether a node is one of a pool's. */
export function servesPool(node: WantedNode, { poolId, databaseId }: Binding): boolean {
  return node.databaseId === databaseId && (node.poolId === null || node.poolId === poolId);
}

function nodesOf({ poolId, databaseId, databaseKind, readOnly, size }: Binding): WantedNode[] {
  if (!(databaseKind === 'memory' && readOnly)) return [{ name: databaseId, databaseId, poolId: null }];
  return Array.from({ length: size }, (_, i) => ({ name: `${poolId}.${i + 1}`, databaseId, poolId }));
}
