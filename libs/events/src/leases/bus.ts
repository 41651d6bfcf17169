import type { Signed } from './signature';

/**
 * The fast road of new versions from managers to nodes, in two halves because they are in two processes. Messages may be
 * lost, doubled, late or out of order: renewals are the sure road (DESIGN section 5, "Bus").
 */
export interface VersionPublisher {
  /** Sends a signed `version` message to whoever follows one of these streams; resolves when it is out of this process. */
  publish(message: Signed, streams: readonly string[]): Promise<void>;
}

export interface VersionFollower {
  /** Hands on every message from now on; begins with what is current, again after each new connection. */
  follow(onMessage: (message: unknown) => void): void;
  close(): Promise<void>;
}
