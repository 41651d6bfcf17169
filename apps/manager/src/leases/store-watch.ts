import { Inject, Injectable } from '@nestjs/common';
import { isSettled, seeStore, type SeenStore, type StoreIdentity } from '@gadwall/events';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';

/** The store as this manager has seen it. Source: DESIGN section 5, rule 5. */
@Injectable()
export class StoreWatch {
  private seen: SeenStore | null = null;

  constructor(@Inject(MANAGER_CONFIG) private readonly config: ManagerConfig) {}

  /** To be told whenever the store said what it is. */
  see(store: StoreIdentity): void {
    this.seen = seeStore(this.seen, store, performance.now());
  }

  /** Goes into every handle; read it before the versions that the handle names. */
  get timeline(): string {
    return this.seen?.timeline ?? '';
  }

  settled(): boolean {
    return isSettled(this.seen, this.config.leases.ttlMs, performance.now());
  }
}
