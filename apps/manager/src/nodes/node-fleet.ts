import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { EventStore, SYSTEM_STREAM } from '@gadwall/events';
import { DomainError, type NodeAssignment, type NodeReady, type NodeRegistration } from '@gadwall/rbac';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { Gate, type PoolBinding } from '../effective-set';
import { NodeLeases } from '../leases';
import { NodeDirectory, type NodeResponse } from '../pool';
import { Assignments } from './assignments';
import { InternalServer } from './internal-server';
import { NodeLink } from './node-link';
import { NodeProcesses } from './node-processes';

/** ms that a statement waits for a node that is being started. */
const START_LIMIT_MS = 20_000;

/** One node that should run: it serves a database, and so every pool bound to that. */
interface Member {
  databaseId: string;
  /** What its process shows when it registers, at each start anew. */
  joinToken: string;
  /** Registered, but not yet in service. */
  joining: { nodeId: string; key: Buffer } | null;
  /** The node that has a lease, until its process is no more. */
  leased: string | null;
  link: NodeLink | null;
  ready: Promise<NodeLink>;
  settle: { resolve: (link: NodeLink) => void; reject: (error: Error) => void };
}

/**
 * The nodes that this manager runs: one for each database that a pool in service is bound to (a DuckDB file, and a
 * database in memory, can be open in one process only).
 */
@Injectable()
export class NodeFleet extends NodeDirectory implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly members = new Map<string, Member>();
  private readonly log = new Logger('nodes');
  private reconciling: Promise<void> = Promise.resolve();
  private closing = false;
  private managerUrl: string | null = null;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly gate: Gate,
    private readonly assignments: Assignments,
    private readonly processes: NodeProcesses,
    private readonly server: InternalServer,
    private readonly leases: NodeLeases,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
    @Inject(EventStore) private readonly events: EventStore,
  ) {
    super();
  }

  /** Nodes follow what administrators say of databases, pools and tenants. */
  async onApplicationBootstrap(): Promise<void> {
    this.leases.onNewTimeline(() => this.gate.forget());
    if (!this.config.nodes.start) return;
    const url = await this.server.listen(this);
    this.managerUrl = this.config.internal.advertisedUrl ?? url;
    this.unsubscribe = this.events.onCommitted((events) => {
      if (events.some(({ type }) => /^(pool|database|tenant)\./.test(type))) this.reconcile();
    });
    this.reconcile();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    this.unsubscribe();
    await this.reconciling;
    for (const { link } of this.members.values()) link?.lose();
    await this.processes.stopAll();
  }

  /** The node of a pool's database; starts it when it is not there, and waits until it serves. */
  async link(binding: PoolBinding): Promise<NodeLink> {
    if (binding.stopped || this.closing || this.managerUrl === null) throw new DomainError('pool_unavailable');
    const member = this.members.get(binding.databaseId) ?? this.begin(binding.databaseId);
    if (member.link) return member.link;
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new DomainError('pool_unavailable')), START_LIMIT_MS).unref();
    });
    return Promise.race([member.ready, late]);
  }

  /** The link of a node by its id; undefined when it is gone. */
  linkOf(nodeId: string): NodeLink | undefined {
    for (const { link } of this.members.values()) if (link?.nodeId === nodeId) return link;
    return undefined;
  }

  /** @throws DomainError `not_found` for a join token that was not handed out */
  async register({ joinToken, nodeId, key, publicKey }: NodeRegistration): Promise<NodeAssignment> {
    const member = [...this.members.values()].find((candidate) => matches(candidate.joinToken, joinToken));
    if (!member) throw new DomainError('not_found');
    this.lost(member);
    const { tenant, opens } = await this.assignments.of(member.databaseId);
    member.joining = { nodeId, key: Buffer.from(key, 'base64url') };
    member.leased = nodeId;
    this.leases.join(nodeId, publicKey, [tenant, SYSTEM_STREAM]);
    return { ...opens, managerKeys: [this.leases.signingKey.publicKey], lease: this.config.leases };
  }

  /** @throws DomainError `not_found` for a node that has not registered */
  serves({ nodeId, url }: NodeReady): void {
    const member = [...this.members.values()].find((candidate) => candidate.joining?.nodeId === nodeId);
    if (!member?.joining) throw new DomainError('not_found');
    member.link = new NodeLink(nodeId, url, member.joining.key);
    member.joining = null;
    member.settle.resolve(member.link);
    this.log.log({ message: 'node ready', nodeId, databaseId: member.databaseId });
  }

  override async nodesOf(poolId: string): Promise<NodeResponse[]> {
    const binding = (await this.gate.bindings()).find((candidate) => candidate.poolId === poolId);
    const member = binding ? this.members.get(binding.databaseId) : undefined;
    if (!member || binding?.stopped) return [];
    const { link } = member;
    const lease = link ? (await this.leases.status()).get(link.nodeId) : undefined;
    return [
      {
        nodeId: link?.nodeId ?? member.databaseId,
        status: link ? 'ready' : 'starting',
        leaseExpiresAt: lease?.leaseExpiresAt ?? null,
        policyVersion: lease?.known[binding?.tenant ?? ''] ?? null,
        activeStatements: link?.activeOf(poolId) ?? 0,
      },
    ];
  }

  private reconcile(): void {
    this.reconciling = this.reconciling
      .then(() => this.apply())
      .catch((error: unknown) => {
        this.log.error({ message: 'the nodes could not be brought to what is configured', err: error });
      });
  }

  private async apply(): Promise<void> {
    if (this.closing) return;
    const wanted = new Set(
      (await this.gate.bindings())
        .filter(({ stopped, size, databaseKind }) => !stopped && size > 0 && databaseKind !== 'ducklake')
        .map(({ databaseId }) => databaseId),
    );
    for (const databaseId of wanted) if (!this.members.has(databaseId)) this.begin(databaseId);
    for (const member of [...this.members.values()]) if (!wanted.has(member.databaseId)) await this.end(member);
  }

  private begin(databaseId: string): Member {
    const member = newMember(databaseId);
    this.members.set(databaseId, member);
    this.processes.start(databaseId, {
      managerUrl: this.managerUrl ?? '',
      joinToken: member.joinToken,
      onEnding: () => this.lost(member),
      onEnded: () => this.ended(member),
    });
    return member;
  }

  /** What the node held is gone with it; the next life has a key of its own. */
  private lost(member: Member): void {
    member.joining = null;
    if (!member.link) return;
    member.link.lose();
    Object.assign(member, { link: null, ...pending() });
  }

  /** Its process is no more, and with it what it could have started. */
  private ended(member: Member): void {
    if (member.leased !== null) this.leases.end(member.leased);
    member.leased = null;
  }

  private async end(member: Member): Promise<void> {
    this.members.delete(member.databaseId);
    this.lost(member);
    member.settle.reject(new DomainError('pool_unavailable'));
    await this.processes.stop(member.databaseId);
  }
}

function matches(expected: string, given: unknown): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(String(given))];
  return a.length === b.length && timingSafeEqual(a, b);
}

function pending(): Pick<Member, 'ready' | 'settle'> {
  let settle: Member['settle'] = { resolve: () => undefined, reject: () => undefined };
  const ready = new Promise<NodeLink>((resolve, reject) => (settle = { resolve, reject }));
  ready.catch(() => undefined);
  return { ready, settle };
}

function newMember(databaseId: string): Member {
  const joinToken = randomBytes(32).toString('base64url');
  return { databaseId, joinToken, joining: null, leased: null, link: null, ...pending() };
}
