import type { LeaseKeeper } from './lease-keeper';
import type { ManagerLine } from './manager-line';

/** Tells the manager what has been applied, at once and without piling up; the next renewal says it again if this is lost. */
export class Acknowledger {
  private underWay = false;
  private again = false;

  constructor(
    private readonly lease: LeaseKeeper,
    private readonly manager: ManagerLine,
    private readonly timeoutMs: number,
  ) {}

  /** To be called when versions have been applied. */
  tell(): void {
    if (this.underWay) this.again = true;
    else void this.send();
  }

  private async send(): Promise<void> {
    this.underWay = true;
    do {
      this.again = false;
      await this.manager
        .ask('/internal/nodes/ack', this.lease.acknowledgement(), this.timeoutMs)
        .catch(() => undefined);
    } while (this.again);
    this.underWay = false;
  }
}
