import { Inject, Injectable } from '@nestjs/common';
import { isSettled, seeStore, type SeenStore, type StoreIdentity } from '@gadwall/events';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';

/** The store as this manager has seen it. Source: DESIGN section 5, rule 5. */
@Injectable()
export class StoreWatch {
  private seen: SeenStore | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor(@Inject(MANAGER_CONFIG) private readonly config: ManagerConfig) {}

  /** To be told whenever the store said what it is. */
  see(store: StoreIdentity): void {
    const before = this.seen?.timeline;
    this.seen = seeStore(this.seen, store, performance.now());
    // In the same turn: nothing that was read on the old one may be said to be of the new one.
    if (before !== undefined && before !== this.seen.timeline) for (const listener of this.listeners) listener();
  }

  /** Calls `listener` when the store is found to have another history: what was read of it before may not be in it. */
  onNewTimeline(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Goes into every handle; read it before the versions that the handle names. */
  get timeline(): string {
    return this.seen?.timeline ?? '';
  }

  settled(): boolean {
    return isSettled(this.seen, this.config.leases.ttlMs, performance.now());
  }
}
