import { Acknowledger } from './acknowledger';
import type { LeaseKeeper } from './lease-keeper';
import type { ManagerLine } from './manager-line';
import { Renewals } from './renewals';
import { StreamFollower } from './version-follower';

/** How often a node that a manager does not know asks again before it gives up, ms. */
const UNKNOWN_LIMIT_MS = 1000;

/** Keeps the node's lease: renews it, follows versions, acknowledges what was applied. */
export class LeaseAgent {
  private readonly renewals: Renewals;
  private readonly follower: StreamFollower;
  private readonly acknowledger: Acknowledger;

  constructor(
    private readonly lease: LeaseKeeper,
    manager: ManagerLine,
    timing: { ttlMs: number; renewMs: number; keepAliveMs: number },
    /** The manager does not know this node: it cannot serve any more, and has to start anew. */
    onForgotten: () => void,
  ) {
    let forgetting: NodeJS.Timeout | undefined;
    const onUnknown = () => (forgetting ??= setTimeout(onForgotten, UNKNOWN_LIMIT_MS));
    this.renewals = new Renewals(lease, manager, timing, onUnknown);
    this.follower = new StreamFollower(lease, manager, timing.keepAliveMs);
    this.acknowledger = new Acknowledger(lease, manager, timing.ttlMs);
  }

  /** Resolves when the first lease was asked for; a node without one starts nothing. */
  async start(): Promise<void> {
    this.lease.onLearned(() => this.acknowledger.tell());
    this.follower.follow((message) => this.lease.heard(message));
    await this.renewals.start();
  }

  async stop(): Promise<void> {
    this.renewals.stop();
    await this.follower.close();
  }
}
