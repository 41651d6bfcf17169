import type { LeaseKeeper } from './lease-keeper';
import { type ManagerLine, ManagerRefusal } from './manager-line';

/** Renews the lease at a steady pace, whatever becomes of each request: a slow answer must not hold up the next. */
export class Renewals {
  private timer: NodeJS.Timeout | undefined;
  private underWay = 0;

  constructor(
    private readonly lease: LeaseKeeper,
    private readonly manager: ManagerLine,
    private readonly timing: { ttlMs: number; renewMs: number },
    /** The manager does not know this node: only a new start helps. */
    private readonly onUnknown: () => void,
  ) {}

  /** Renews at once and from now on; resolves with the first answer, or failure. */
  async start(): Promise<void> {
    this.timer = setInterval(() => void this.renew(), this.timing.renewMs);
    await this.renew();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    // Each is given up after a TTL, when its answer would be worth nothing.
    if (this.underWay > this.timing.ttlMs / this.timing.renewMs) return;
    this.underWay++;
    try {
      this.lease.renewed(await this.manager.ask('/internal/nodes/renew', this.lease.renewal(), this.timing.ttlMs));
    } catch (error) {
      if (error instanceof ManagerRefusal && error.code === 'node_unknown') this.onUnknown();
    } finally {
      this.underWay--;
    }
  }
}
