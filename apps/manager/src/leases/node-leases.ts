import { Inject, Injectable } from '@nestjs/common';
import { seal, type Signed, type SignedContent } from '@gadwall/events';
import type { NodeReady, PrincipalsAnswer, SigningKey } from '@gadwall/rbac';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { Acknowledgements } from './acknowledgements';
import { PostgresLeaseTable } from './lease-table';
import { RegisteredNodes } from './registered-nodes';
import { Renewals } from './renewals';
import { StoreWatch } from './store-watch';
import { Versions } from './versions';
import { type Sink, VersionStream } from './version-stream';

/** A node's lease for display. */
export interface LeaseStatus {
  leaseExpiresAt: Date;
  known: Readonly<Record<string, number>>;
}

/** What nodes may ask of a manager as to leases and versions. */
@Injectable()
export class NodeLeases {
  constructor(
    private readonly nodes: RegisteredNodes,
    private readonly renewals: Renewals,
    private readonly acknowledgements: Acknowledgements,
    private readonly versions: Versions,
    private readonly stream: VersionStream,
    private readonly table: PostgresLeaseTable,
    private readonly store: StoreWatch,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
  ) {}

  get signingKey(): SigningKey {
    return this.versions.signingKey;
  }

  /** The history of the store that what is read from now on belongs to; goes into handles. */
  get timeline(): string {
    return this.store.timeline;
  }

  /** Calls `listener` when the store is found to have another history. */
  onNewTimeline(listener: () => void): void {
    this.store.onNewTimeline(listener);
  }

  /** A node has joined. @throws DomainError `join_refused` for a name that is taken */
  join(nodeId: string, publicKey: string, streams: readonly string[]): void {
    this.nodes.add(nodeId, publicKey, streams);
  }

  /** The process of a node has ended: it starts nothing any more, so nobody need wait for its lease. */
  end(nodeId: string): void {
    this.nodes.remove(nodeId);
    this.acknowledgements.end(nodeId);
    void this.table.forget(nodeId).catch(() => undefined); // the sweeper gets it
  }

  /** A node says that it serves. @throws DomainError `node_unknown` */
  ready(signed: unknown): NodeReady {
    return this.nodes.open('ready', signed).content;
  }

  /** @throws DomainError `node_unknown`; a database error */
  async renew(signed: unknown): Promise<Signed> {
    const { content: request, streams } = this.nodes.open('renewal', signed);
    // At once: after the write it may be older than what the node has said meanwhile.
    this.acknowledgements.add(request.nodeId, request.known);
    const answer = await this.renewals.renew({ request, streams });
    return seal('renewal-answer', answer, this.versions.sign);
  }

  /** The node that says that it leaves. @throws DomainError `node_unknown` */
  leaving(signed: unknown): string {
    return this.nodes.open('leave', signed).content.nodeId;
  }

  /** The nodes that have said something since this was asked last. */
  takeHeard(): ReadonlySet<string> {
    return this.nodes.takeHeard();
  }

  /** What a node asks a fresh handle for. @throws DomainError `node_unknown` */
  asksHandle(signed: unknown): SignedContent['handle'] {
    return this.nodes.open('handle', signed).content;
  }

  /** Whose statements a node says that it runs. @throws DomainError `node_unknown` */
  running(signed: unknown): SignedContent['principals'] {
    return this.nodes.open('principals', signed).content;
  }

  /** What has become of them. */
  answer(principals: PrincipalsAnswer): Signed {
    return seal('principals-answer', principals, this.versions.sign);
  }

  /** @throws DomainError `node_unknown` */
  acknowledge(signed: unknown): void {
    const { nodeId, heads } = this.nodes.open('acknowledgement', signed).content;
    this.acknowledgements.add(nodeId, heads);
  }

  /**
   * Begins with what is current, and goes on with what becomes so.
   * @throws DomainError `node_unknown`; a database error
   */
  async follow(signed: unknown, sink: Sink): Promise<() => void> {
    const { streams } = this.nodes.open('follow', signed);
    const stop = this.stream.add(sink, streams);
    try {
      sink.write(`${JSON.stringify(this.versions.message(await this.versions.current(streams)))}\n`);
      return stop;
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** The leases by node. */
  async status(): Promise<ReadonlyMap<string, LeaseStatus>> {
    const { rows } = await this.table.leases();
    return new Map(
      rows.map(({ nodeId, renewedAt, known }) => [
        nodeId,
        {
          leaseExpiresAt: new Date(renewedAt.getTime() + this.config.leases.ttlMs),
          known: Object.fromEntries(known.map(({ stream, version }) => [stream, version])),
        },
      ]),
    );
  }
}
