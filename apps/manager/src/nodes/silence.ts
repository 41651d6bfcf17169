/** How many looks in a row a node may be silent. */
const MAX_LOOKS = 10;

/**
 * Finds nodes that say nothing for long though their process runs: one whose thread is held for good. Looks are counted, not
 * time: a manager that slept itself has not looked.
 */
export class Silence {
  private readonly looks = new Map<string, number>();

  /** Those of the nodes that were silent for too many looks. `heard`: who has said something since the last one. */
  look(nodes: readonly string[], heard: ReadonlySet<string>): string[] {
    for (const known of this.looks.keys()) if (!nodes.includes(known)) this.looks.delete(known);
    for (const node of nodes) this.looks.set(node, heard.has(node) ? 0 : (this.looks.get(node) ?? 0) + 1);
    return nodes.filter((node) => (this.looks.get(node) ?? 0) >= MAX_LOOKS);
  }
}
