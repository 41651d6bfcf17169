import type { PolicyVersions } from '@gadwall/rbac';
import type { PendingBarrier } from '../leases';

export type { PolicyVersions };

/** What a mutation gave, with the versions after it and the wait until they are in force. */
export class Mutated<T> {
  constructor(
    readonly result: T,
    readonly versions: PolicyVersions,
    readonly barrier: PendingBarrier,
  ) {}

  /** The same mutation with another answer. */
  with<U>(result: U): Mutated<U> {
    return new Mutated(result, this.versions, this.barrier);
  }
}
