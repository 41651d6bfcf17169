import { DomainError } from '@gadwall/rbac';

/** How many statements may be with the engine at once: of one pool, and of one user over all pools of the node. */
export class Slots {
  private readonly pools = new Map<string, number>();
  private readonly users = new Map<string, number>();

  constructor(private readonly maxPerUser: number) {}

  /**
   * Takes a slot until the returned function is called.
   * @throws DomainError `too_many_statements`
   */
  take(poolId: string, maxOfPool: number, userId: string): () => void {
    const [pool, user] = [this.pools.get(poolId) ?? 0, this.users.get(userId) ?? 0];
    if (pool >= maxOfPool || user >= this.maxPerUser) throw new DomainError('too_many_statements');
    this.pools.set(poolId, pool + 1);
    this.users.set(userId, user + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      decrement(this.pools, poolId);
      decrement(this.users, userId);
    };
  }

  /** Statements of a pool that are with the engine now. */
  active(poolId: string): number {
    return this.pools.get(poolId) ?? 0;
  }
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 1) - 1;
  if (count <= 0) counts.delete(key);
  else counts.set(key, count);
}
