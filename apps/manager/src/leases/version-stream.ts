import type { Signed, VersionPublisher } from '@gadwall/events';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';

/** Where the lines of one follower go: a long-lived HTTP response. */
export interface Sink {
  write(line: string): unknown;
  end(): unknown;
  /** Bytes that the reader has not taken yet. */
  readonly writableLength: number;
}

/** A follower that lets this much pile up is cut off: it connects anew, and begins with what is current. */
const MAX_BACKLOG = 1024 * 1024;

/** The `stream` adapter of the bus, a manager's half: nodes follow it over one long-lived HTTP response, a message a line. */
@Injectable()
export class VersionStream implements VersionPublisher, OnApplicationShutdown {
  private readonly followers = new Map<Sink, readonly string[]>();
  private readonly keepAlive: NodeJS.Timeout;

  constructor(@Inject(MANAGER_CONFIG) config: ManagerConfig) {
    this.keepAlive = setInterval(() => this.toAll('\n'), config.leases.keepAliveMs).unref();
  }

  publish(message: Signed, streams: readonly string[]): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    this.toAll(line, (followed) => streams.some((stream) => followed.includes(stream)));
    return Promise.resolve();
  }

  /** Adds a follower of streams until the returned function is called. */
  add(sink: Sink, streams: readonly string[]): () => void {
    this.followers.set(sink, streams);
    return () => this.followers.delete(sink);
  }

  onApplicationShutdown(): void {
    clearInterval(this.keepAlive);
    for (const sink of this.followers.keys()) sink.end();
    this.followers.clear();
  }

  private toAll(line: string, which: (followed: readonly string[]) => boolean = () => true): void {
    for (const [sink, followed] of this.followers) {
      if (!which(followed)) continue;
      if (sink.writableLength > MAX_BACKLOG) {
        this.followers.delete(sink);
        sink.end();
      } else sink.write(line);
    }
  }
}
