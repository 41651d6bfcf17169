import { EventEmitter, once } from 'node:events';
import { BeforeApplicationShutdown, Inject, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { EventStore, type SignedContent, SYSTEM_STREAM } from '@gadwall/events';
import { connectorTo, type JoinAnswer } from '@gadwall/link';
import { DomainError, type FreshHandleAnswer, type NodeReady } from '@gadwall/rbac';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { Gate, type PoolBinding } from '../effective-set';
import { NodeLeases } from '../leases';
import { NodeDirectory, type NodeResponse } from '../pool';
import { Assignments } from './assignments';
import { FreshHandles } from './fresh-handles';
import { InternalServer } from './internal-server';
import { Joining } from './joining';
import { Member } from './member';
import { NodeLink } from './node-link';
import { NodeProcesses } from './node-processes';
import { leastLoaded } from './placement';
import { Silence } from './silence';
import { servesPool, type WantedNode, wantedNodes } from './wanted-nodes';

/** ms that a statement waits for a node that is being started. */
const START_LIMIT_MS = 20_000;
/** ms that a node to be avoided is avoided when there is no other. */
const AVOID_MS = 2000;

/** How a node is chosen. */
export interface Choice {
  /** A node that did not answer: another one, or its next life, is meant. */
  avoid?: NodeLink;
  /** Sessions open on a node: what spreads new ones. */
  sessions?: (link: NodeLink) => number;
}

/** The nodes that this manager runs, as the pools in service want them. */
@Injectable()
export class NodeFleet extends NodeDirectory implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private wanted: WantedNode[] = [];
  /** By the name of what is wanted, or was. */
  private readonly members = new Map<string, Member>();
  private readonly log = new Logger('nodes');
  private reconciling: Promise<void> = Promise.resolve();
  private closing = false;
  private managerUrl: string | null = null;
  private unsubscribe: () => void = () => undefined;
  private chosen = 0;
  private readonly silence = new Silence();
  private looking: NodeJS.Timeout | undefined;
  /** Nodes have come or gone. */
  private readonly changed = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly gate: Gate,
    private readonly assignments: Assignments,
    private readonly joining: Joining,
    private readonly processes: NodeProcesses,
    private readonly server: InternalServer,
    private readonly leases: NodeLeases,
    private readonly handles: FreshHandles,
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
    this.looking = setInterval(() => this.replaceStuck(), this.config.leases.ttlMs).unref();
  }

  /** While the API still answers: nodes let statements come to their end, and nothing new is begun. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.looking);
    this.unsubscribe();
    this.changed.emit('change');
    await this.reconciling;
    await this.processes.stopAll();
    for (const member of this.members.values()) member.lose();
  }

  /**
   * The node of a pool with the least to do; waits for one that is being started.
   * @throws DomainError `pool_unavailable` when none serves in time
   */
  async link(binding: PoolBinding, { avoid, sessions }: Choice = {}): Promise<NodeLink> {
    const since = performance.now();
    for (;;) {
      if (this.closing || !(await this.isWanted(binding))) throw new DomainError('pool_unavailable');
      const waited = performance.now() - since;
      const open = this.linksOf(binding).filter((link) => link !== avoid || waited > AVOID_MS);
      const chosen = leastLoaded(open, sessions);
      if (chosen) {
        chosen.chosenAt = ++this.chosen;
        return chosen;
      }
      if (waited > START_LIMIT_MS) throw new DomainError('pool_unavailable');
      const pause = (avoid && waited < AVOID_MS ? AVOID_MS : START_LIMIT_MS) - waited + 1;
      await once(this.changed, 'change', { signal: AbortSignal.timeout(Math.ceil(pause)) }).catch(() => undefined);
    }
  }

  /** A node of a pool that serves now; undefined when none does. */
  runningLink(binding: PoolBinding): NodeLink | undefined {
    return this.linksOf(binding)[0];
  }

  /** The link of a node by its id, also of one that is draining; undefined when it is gone. */
  linkOf(nodeId: string): NodeLink | undefined {
    for (const { link } of this.members.values()) if (link?.nodeId === nodeId) return link;
    return undefined;
  }

  /** @throws DomainError `join_refused` unless the sender knows a join token that is out */
  async register(request: unknown): Promise<JoinAnswer> {
    const node = this.joining.open(request);
    const member = this.members.get(node.process);
    if (!member) throw new DomainError('join_refused');
    member.lose();
    const { tenant, opens } = await this.assignments.of(member.wanted);
    this.leases.join(node.nodeId, node.publicKey, [tenant, SYSTEM_STREAM]);
    member.joining = node;
    member.leased = node.nodeId;
    return node.answer({ ...opens, managerKeys: [this.leases.signingKey.publicKey], lease: this.config.leases });
  }

  /** @throws DomainError `not_found` for a node that has not registered; PeerError for a URL that is not protected */
  serves({ nodeId, url }: NodeReady): void {
    const member = [...this.members.values()].find((candidate) => candidate.joining?.nodeId === nodeId);
    if (!member?.joining) throw new DomainError('not_found');
    const { handleKey, certificate } = member.joining;
    const connect = connectorTo({ url, fingerprint: certificate, ca: this.config.internal.given.ca });
    member.link = new NodeLink(nodeId, url, handleKey, connect);
    member.joining = null;
    this.changed.emit('change');
    this.log.log({ message: 'node ready', nodeId, databaseId: member.wanted.databaseId });
  }

  /** A node says that it takes nothing new, and ends when what runs there has. */
  leaves(nodeId: string): void {
    const link = this.linkOf(nodeId);
    if (link) link.draining = true;
    this.log.log({ message: 'node draining', nodeId });
  }

  /** @throws DomainError `node_unknown` */
  freshHandle(subject: SignedContent['handle']): Promise<FreshHandleAnswer> {
    const link = this.linkOf(subject.nodeId);
    if (!link) throw new DomainError('node_unknown');
    return this.handles.mint(link, subject);
  }

  override async nodesOf(poolId: string): Promise<NodeResponse[]> {
    const binding = (await this.gate.bindings()).find((candidate) => candidate.poolId === poolId);
    if (!binding || binding.stopped) return [];
    const members = this.membersOf(binding);
    const leases = members.some(({ link }) => link) ? await this.leases.status() : null;
    return members.map(({ link, open, wanted }) => {
      const lease = link ? leases?.get(link.nodeId) : undefined;
      return {
        nodeId: link?.nodeId ?? wanted.name,
        status: open ? 'ready' : link ? 'draining' : 'starting',
        leaseExpiresAt: lease?.leaseExpiresAt ?? null,
        policyVersion: lease?.known[binding.tenant] ?? null,
        activeStatements: link?.activeOf(poolId) ?? 0,
      };
    });
  }

  /** A pool that has just been made may not have been heard of yet. */
  private async isWanted(binding: PoolBinding): Promise<boolean> {
    const found = () => this.wanted.some((node) => servesPool(node, binding));
    if (found() || this.managerUrl === null) return found();
    this.reconcile();
    await this.reconciling;
    return found();
  }

  private membersOf(binding: PoolBinding): Member[] {
    return [...this.members.values()].filter(({ wanted }) => servesPool(wanted, binding));
  }

  private linksOf(binding: PoolBinding): NodeLink[] {
    return this.membersOf(binding).flatMap(({ open }) => (open ? [open] : []));
  }

  /** DESIGN invariant 16: a node that is stuck for long is replaced. */
  private replaceStuck(): void {
    const serving = [...this.members.values()].flatMap(({ link, wanted }) => (link ? [{ link, wanted }] : []));
    const stuck = this.silence.look(
      serving.map(({ link }) => link.nodeId),
      this.leases.takeHeard(),
    );
    for (const { link, wanted } of serving.filter(({ link: { nodeId } }) => stuck.includes(nodeId))) {
      this.log.warn({ message: 'node stuck: it is replaced', nodeId: link.nodeId });
      link.draining = true;
      void this.processes.restart(wanted.name).catch(() => undefined); // it has ended meanwhile
    }
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
    this.wanted = wantedNodes(await this.gate.bindings());
    for (const node of this.wanted) if (!this.members.has(node.name)) this.begin(node);
    const names = new Set(this.wanted.map(({ name }) => name));
    for (const member of this.members.values()) {
      if (member.ending === null && !names.has(member.wanted.name)) this.end(member);
    }
  }

  private begin(wanted: WantedNode): void {
    const member = new Member(wanted);
    this.members.set(wanted.name, member);
    this.processes.start(wanted.name, {
      managerUrl: this.managerUrl ?? '',
      onEnding: () => {
        if (member.link) member.link.draining = true;
      },
      onEnded: () => this.ended(member),
    });
  }

  /** Its process is no more, and with it what it could have started. */
  private ended(member: Member): void {
    member.lose();
    if (member.leased !== null) this.leases.end(member.leased);
    member.leased = null;
    this.changed.emit('change');
  }

  /** It is kept until its process is no more: sessions that are in a transaction find it until then. */
  private end(member: Member): void {
    const { name } = member.wanted;
    member.ending = this.processes.stop(name).then(() => {
      this.members.delete(name);
      // It may have been wanted again meanwhile.
      this.reconcile();
    });
  }
}
