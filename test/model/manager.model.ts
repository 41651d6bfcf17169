import {
  type Barrier,
  type HashOf,
  type LeaseRow,
  NO_LEASES_SEEN,
  seal,
  type SeenLeases,
  type SeenStore,
  type Signed,
  type StoreIdentity,
  type StreamHead,
} from '@gadwall/events';
import { DRIFT, type Protocol, TIMING } from './protocol';
import { Machine, type Simulation } from './simulation';
import type { ModelHandle } from './node.model';
import { type Event, type Store, type Stream, STREAMS } from './store';

interface Wait {
  barrier: Barrier;
  done: (effective: boolean) => void;
}

/** A manager: mutations with their barriers, renewals, handles, the removal of dead rows, restarts. */
export class ModelManager {
  readonly machine: Machine;
  private boots = 0;
  private seen: SeenStore | null = null;
  private rows: SeenLeases = NO_LEASES_SEEN;
  private waits: Wait[] = [];
  private remembered: Omit<ModelHandle, 'nodeId'> | null = null;

  constructor(
    private readonly sim: Simulation,
    private readonly store: Store,
    private readonly protocol: Protocol,
    private readonly publish: (message: Signed) => void,
  ) {
    this.machine = new Machine(sim, DRIFT);
    this.boot();
  }

  boot(): void {
    const boot = ++this.boots;
    this.seen = null;
    this.rows = NO_LEASES_SEEN;
    this.waits = [];
    this.remembered = null;
    this.sweep(boot);
  }

  /** Commits, publishes, waits; `answered` gets the event if the answer says that it is in force. */
  mutate(stream: Stream, answered: (event: Event) => void): void {
    this.awake(async () => {
      const early = this.protocol.leasesAfterCommit ? null : (await this.leases()).rows;
      const event = await this.store.statement(() => this.store.append(stream));
      // With what else there is, as to a node that has just connected.
      const heads = this.sim.random() < 0.5 ? [event] : this.store.heads();
      this.publish(seal('version', { timeline: this.seen?.timeline ?? '', heads }, () => 'manager'));
      await this.barrier(event, early);
      answered(event);
    });
  }

  /** Resolves when it is in force; rejects when the limit ran out, or this manager ended. */
  private async barrier(event: StreamHead, early: LeaseRow[] | null): Promise<void> {
    const { protocol } = this;
    const startedAt = this.monotonic();
    const unread = { rows: null, at: startedAt, settled: false };
    const wait: Wait = {
      barrier: protocol.openBarrier([event], unread, startedAt, this.hashOf(event), TIMING),
      done: () => undefined,
    };
    const settled = new Promise<void>((resolve, reject) => {
      wait.done = (effective) => (effective ? resolve() : reject(new Error('202')));
    });
    settled.catch(() => undefined);
    this.waits.push(wait);
    this.look(wait);
    const rows = early ?? (await this.leases().catch(() => null))?.rows ?? null;
    if (rows !== null) {
      const settledStore = protocol.isSettled(this.seen, TIMING.ttlMs, this.monotonic());
      const read = { rows, at: this.monotonic(), settled: settledStore };
      wait.barrier = protocol.openBarrier([event], read, startedAt, this.hashOf(event), TIMING);
    }
    return settled;
  }

  private look(wait: Wait): void {
    this.awake(() => {
      const now = this.monotonic();
      const { effective } = this.protocol.reportOf(wait.barrier, now);
      const late = now - wait.barrier.startedAt >= TIMING.barrierLimitMs;
      if (!effective && !late) {
        this.sim.after(1, () => this.look(wait));
        return;
      }
      this.waits = this.waits.filter((other) => other !== wait);
      this.sim.settles();
      wait.done(effective);
    });
  }

  acknowledge(signed: Signed): void {
    this.awake(() => {
      const claimed = (JSON.parse(signed.body) as { content: { nodeId: string } }).content.nodeId;
      const message = this.protocol.unseal('acknowledgement', signed, (_, signature) => signature === claimed);
      if (message) this.acknowledged(message.nodeId, message.heads);
    });
  }

  /** Whoever watches the processes says that a node's has ended. */
  ended(nodeId: string): void {
    this.awake(async () => {
      const now = this.monotonic();
      for (const wait of this.waits) wait.barrier = this.protocol.gone(wait.barrier, nodeId, now);
      await this.store.statement(() => this.store.forget(nodeId));
    });
  }

  renew(signed: Signed, answer: (signed: Signed) => void): void {
    this.awake(async () => {
      const claimed = (JSON.parse(signed.body) as { content: { nodeId: string } }).content.nodeId;
      const request = this.protocol.unseal('renewal', signed, (_, signature) => signature === claimed);
      if (!request) return;
      const [granted] = await this.protocol.grantLeases(
        {
          write: (renewals) => this.store.statement(() => this.store.write(renewals)),
          read: async () => {
            const read = await this.store.statement(() => ({ ...this.store.identity(), heads: this.store.heads() }));
            this.see(read);
            return read;
          },
        },
        [{ request, streams: STREAMS }],
      );
      this.acknowledged(request.nodeId, request.known);
      if (granted) answer(seal('renewal-answer', granted, () => 'manager'));
    });
  }

  /** A handle of what is current, or of what this manager still remembers. */
  mint(nodeId: string, send: (handle: ModelHandle) => void): void {
    this.awake(async () => {
      if (this.remembered && this.sim.random() < 0.4) return send({ ...this.remembered, nodeId });
      const timeline = this.seen?.timeline ?? '';
      const before = this.protocol.oneSnapshot ? null : await this.store.statement(() => this.store.snapshot());
      const now = await this.store.statement(() => this.store.snapshot());
      this.remembered = { timeline, ...(before ?? now), versions: now.versions };
      send({ ...this.remembered, nodeId });
    });
  }

  private acknowledged(nodeId: string, heads: readonly StreamHead[]): void {
    const now = this.monotonic();
    for (const wait of this.waits) {
      const [event] = wait.barrier.moved;
      if (!event) continue;
      wait.barrier = this.protocol.acknowledge(wait.barrier, nodeId, heads, this.hashOf(event), now);
    }
  }

  private hashOf(event: StreamHead): HashOf {
    return (stream, version) =>
      stream === event.stream && version === event.version ? event.hash : this.store.hashOf(stream, version);
  }

  private async leases(): Promise<StoreIdentity & { rows: LeaseRow[] }> {
    const read = await this.store.statement(() => ({ ...this.store.identity(), rows: this.store.rows() }));
    this.see(read);
    return read;
  }

  private sweep(boot: number): void {
    if (boot !== this.boots) return;
    this.awake(async () => {
      const read = await this.leases().catch(() => null);
      const now = this.monotonic();
      if (read !== null) {
        this.rows = this.protocol.seeLeases(this.rows, read, read.rows, now);
        const dead = this.protocol.deadLeases(this.rows, TIMING.ttlMs, now);
        if (dead.length > 0) await this.store.statement(() => this.store.remove(dead)).catch(() => undefined);
      }
      this.sim.after((this.sim.random() * TIMING.ttlMs) / 2, () => this.sweep(boot));
    });
  }

  private see(store: Parameters<Protocol['seeStore']>[1]): void {
    this.seen = this.protocol.seeStore(this.seen, store, this.monotonic());
  }

  private monotonic(): number {
    return this.machine.clocks().monotonic;
  }

  /** Runs when the process is awake, unless it was started anew meanwhile; what fails has no consequence. */
  private awake(run: () => void | Promise<void>): void {
    const boot = this.boots;
    this.machine.whenAwake(() => {
      if (boot === this.boots) void Promise.resolve(run()).catch(() => undefined);
    });
  }
}
