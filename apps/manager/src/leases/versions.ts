import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  ed25519Signer,
  EventStore,
  type RecordedEvent,
  seal,
  type Sign,
  type Signed,
  type StreamHead,
} from '@gadwall/events';
import { newSigningKey } from '@gadwall/rbac';
import { LRUCache } from 'lru-cache';
import { PostgresLeaseTable } from './lease-table';
import { StoreWatch } from './store-watch';
import { VersionStream } from './version-stream';

const CACHED_HASHES = 10_000;

/** New versions on their way out, and the hashes that stand for them. */
@Injectable()
export class Versions implements OnApplicationShutdown {
  /** Signs what this manager says to nodes; fresh at each boot. */
  readonly signingKey = newSigningKey();
  readonly sign: Sign = ed25519Signer(this.signingKey.privateKey);
  private readonly hashes = new LRUCache<string, string>({ max: CACHED_HASHES });
  private readonly unsubscribe: () => void;

  constructor(
    @Inject(EventStore) events: EventStore,
    private readonly table: PostgresLeaseTable,
    private readonly store: StoreWatch,
    private readonly bus: VersionStream,
  ) {
    this.unsubscribe = events.onCommitted((committed) => this.tell(headsOf(committed)));
  }

  onApplicationShutdown(): void {
    this.unsubscribe();
  }

  /** A version message of heads that are current. */
  message(heads: StreamHead[]): Signed {
    return seal('version', { timeline: this.store.timeline, heads }, this.sign);
  }

  /** The heads of streams now. */
  async current(streams: readonly string[]): Promise<StreamHead[]> {
    const read = await this.table.read(streams);
    this.store.see(read);
    return read.heads;
  }

  /** The hash of an event, if this manager has come across it; see `load`. */
  hashOf(stream: string, version: number): string | undefined {
    return this.hashes.get(this.keyOf(stream, version));
  }

  /** Looks up the hashes of what nodes say that they have applied. */
  async load(heads: readonly StreamHead[]): Promise<void> {
    for (const { stream, version } of heads) {
      if (this.hashOf(stream, version) !== undefined) continue;
      const hash = await this.table.hashOf(stream, version);
      if (hash !== undefined) this.hashes.set(this.keyOf(stream, version), hash);
    }
  }

  private tell(heads: StreamHead[]): void {
    for (const { stream, version, hash } of heads) this.hashes.set(this.keyOf(stream, version), hash);
    const streams = heads.map(({ stream }) => stream);
    void this.bus.publish(this.message(heads), streams);
  }

  /** What was seen on another timeline says nothing about this one. */
  private keyOf(stream: string, version: number): string {
    return `${this.store.timeline} ${version} ${stream}`;
  }
}

function headsOf(events: readonly RecordedEvent[]): StreamHead[] {
  const heads = new Map(events.map(({ stream, version, hash }) => [stream, { stream, version, hash }]));
  return [...heads.values()];
}
