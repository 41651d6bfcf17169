import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { VersionFollower } from '@gadwall/events';
import type { LeaseKeeper } from './lease-keeper';
import type { ManagerLine } from './manager-line';

const BACK_OFF = { minMs: 20, maxMs: 1000 };

/** The `stream` adapter of the bus, a node's half: a message a line, over one long-lived answer that is asked for again when it ends. */
export class StreamFollower implements VersionFollower {
  private readonly closing = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly lease: LeaseKeeper,
    private readonly manager: ManagerLine,
    private readonly keepAliveMs: number,
  ) {}

  follow(onMessage: (message: unknown) => void): void {
    this.running = this.run(onMessage);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(onMessage: (message: unknown) => void): Promise<void> {
    for (let failures = 0; !this.closing.signal.aborted; failures++) {
      const listen = (message: unknown) => {
        failures = 0;
        onMessage(message);
      };
      await this.listen(listen).catch(() => undefined);
      // Spread out: after a manager's restart all nodes come at once.
      const wait = Math.min(BACK_OFF.maxMs, BACK_OFF.minMs * 2 ** failures) * (0.5 + Math.random());
      await delay(wait, undefined, { signal: this.closing.signal, ref: false }).catch(() => undefined);
    }
  }

  /** One connection, until it ends or has been silent for too long. */
  private async listen(onMessage: (message: unknown) => void): Promise<void> {
    const silent = new AbortController();
    const alive = () => setTimeout(() => silent.abort(), 3 * this.keepAliveMs).unref();
    let timer = alive();
    try {
      const signal = AbortSignal.any([this.closing.signal, silent.signal]);
      const request = this.lease.ask('follow', { nodeId: this.lease.nodeId });
      const body = await this.manager.open('/internal/nodes/follow', request, signal);
      // The end of the lines says enough.
      body.once('error', () => undefined);
      for await (const line of createInterface({ input: body })) {
        clearTimeout(timer);
        timer = alive();
        if (line !== '') onMessage(JSON.parse(line));
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
