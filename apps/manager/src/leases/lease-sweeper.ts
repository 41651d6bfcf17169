import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { deadLeases, NO_LEASES_SEEN, seeLeases, type SeenLeases } from '@gadwall/events';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { PostgresLeaseTable } from './lease-table';
import { StoreWatch } from './store-watch';

/** Removes the leases of nodes that are no more (DESIGN section 5, rule 1). */
@Injectable()
export class LeaseSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private seen: SeenLeases = NO_LEASES_SEEN;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly table: PostgresLeaseTable,
    private readonly store: StoreWatch,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.sweep();
    this.timer = setInterval(() => void this.sweep(), this.config.leases.ttlMs / 2).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      const { rows, ...identity } = await this.table.leases();
      this.store.see(identity);
      const now = performance.now();
      this.seen = seeLeases(this.seen, identity, rows, now);
      const dead = deadLeases(this.seen, this.config.leases.ttlMs, now);
      if (dead.length > 0) await this.table.remove(dead);
    } catch {
      // The database is away; rows wait.
    }
  }
}
