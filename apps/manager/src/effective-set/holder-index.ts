import type { TouchPaths, UserEdges } from '@gadwall/rbac';

/** The users whose edges are held, by what they are bound to: an event finds those it may touch without a look at all. */
export class HolderIndex {
  private readonly edges = new Map<string, UserEdges>();
  private readonly byRole = new Map<string, Set<string>>();
  private readonly byGroup = new Map<string, Set<string>>();
  private readonly byGrant = new Map<string, Set<string>>();

  add(userId: string, edges: UserEdges): void {
    this.remove(userId);
    this.edges.set(userId, edges);
    for (const [index, keys] of this.indexesOf(edges)) {
      for (const key of keys) {
        const users = index.get(key);
        if (users) users.add(userId);
        else index.set(key, new Set([userId]));
      }
    }
  }

  remove(userId: string): void {
    const edges = this.edges.get(userId);
    if (!edges) return;
    this.edges.delete(userId);
    for (const [index, keys] of this.indexesOf(edges)) {
      for (const key of keys) {
        const users = index.get(key);
        users?.delete(userId);
        if (users?.size === 0) index.delete(key);
      }
    }
  }

  /** Those whom an event may touch. */
  reached({ all, users, roles, groups, grants }: TouchPaths): Set<string> {
    if (all) return new Set(this.edges.keys());
    const found = new Set(users.filter((id) => this.edges.has(id)));
    const lookUp = (index: Map<string, Set<string>>, keys: readonly string[]) => {
      for (const key of keys) for (const userId of index.get(key) ?? []) found.add(userId);
    };
    lookUp(this.byRole, roles);
    lookUp(this.byGroup, groups);
    lookUp(this.byGrant, grants);
    return found;
  }

  private indexesOf({ roles, groups, poolGrants }: UserEdges): [Map<string, Set<string>>, readonly string[]][] {
    return [
      [this.byRole, roles],
      [this.byGroup, groups],
      [this.byGrant, poolGrants.map(({ id }) => id)],
    ];
  }
}
