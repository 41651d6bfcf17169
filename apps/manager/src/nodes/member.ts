import type { JoiningNode } from './joining';
import type { NodeLink } from './node-link';
import type { WantedNode } from './wanted-nodes';

/** One node that should run, through all lives of its process. */
export class Member {
  /** Registered, but not yet in service. */
  joining: JoiningNode | null = null;
  /** The node that has a lease, until its process is no more. */
  leased: string | null = null;
  link: NodeLink | null = null;
  /** Resolves when its process is no more, once it is not wanted any longer. */
  ending: Promise<void> | null = null;

  constructor(readonly wanted: WantedNode) {}

  /** The way to it, if statements may go there. */
  get open(): NodeLink | null {
    return this.link && !this.link.draining && this.ending === null ? this.link : null;
  }

  /** What the node held is gone with it; the next life has a key of its own. */
  lose(): void {
    this.joining = null;
    this.link?.lose();
    this.link = null;
  }
}
