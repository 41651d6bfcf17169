import {
  type Instant,
  NO_LEASE,
  type NodeLease,
  seal,
  type Signed,
  type StreamHead,
  type Verify,
} from '@gadwall/events';
import type { Network } from './network';
import { DRIFT, type NodeStep, type Protocol, TIMING } from './protocol';
import { Machine, type Simulation } from './simulation';
import type { Snapshot } from './store';

/** What a manager puts before a statement. */
export interface ModelHandle extends Snapshot {
  nodeId: string;
  timeline: string;
}

/** Where a node sends things: any manager. */
export interface Managers {
  renew(request: Signed, answer: (signed: Signed) => void): void;
  acknowledge(signed: Signed): void;
  mint(nodeId: string, send: (handle: ModelHandle) => void): void;
}

const byManager: Verify = (_, signature) => signature === 'manager';

/** A node: renewals, messages, statements, restarts. */
export class ModelNode {
  nodeId = '';
  readonly machine: Machine;
  private lease: NodeLease = NO_LEASE;
  private sent = new Map<string, Instant>();
  private boots = 0;
  private nonces = 0;
  private cutUntil = 0;

  constructor(
    private readonly name: string,
    private readonly sim: Simulation,
    private readonly network: Network,
    private readonly protocol: Protocol,
    private readonly managers: Managers,
    /** A statement's rows went out: it started then, under that policy. */
    private readonly released: (startedAt: number, handle: ModelHandle) => void,
  ) {
    this.machine = new Machine(sim, DRIFT);
    this.boot();
  }

  boot(): void {
    const boot = ++this.boots;
    this.nodeId = `${this.name}.${boot}`;
    this.lease = NO_LEASE;
    this.sent = new Map();
    this.sim.after(this.sim.random() * TIMING.renewMs, () => this.renew(boot));
  }

  /** Nothing comes in and nothing goes out for a while. */
  cutOff(length: number): void {
    this.cutUntil = this.sim.now + length;
  }

  private get cut(): boolean {
    return this.sim.now < this.cutUntil;
  }

  hear(signed: Signed): void {
    if (this.cut) return;
    this.awake(() => {
      const message = this.protocol.unseal('version', signed, byManager);
      if (message) this.take(this.protocol.hear(message));
    });
  }

  private renew(boot: number): void {
    if (boot !== this.boots) return;
    this.awake(() => {
      const nonce = `${this.nodeId}#${this.nonces++}`;
      this.sent.set(nonce, this.machine.clocks());
      const request = seal('renewal', { nodeId: this.nodeId, nonce, known: this.heads() }, () => this.nodeId);
      const answered = (answer: Signed) => this.network.sendSigned('answer', answer, (given) => this.answered(given));
      if (!this.cut) this.network.sendSigned('renewal', request, (message) => this.managers.renew(message, answered));
      this.sim.after(TIMING.renewMs, () => this.renew(boot));
    });
  }

  private answered(signed: Signed): void {
    if (this.cut) return;
    this.awake(() => {
      const answer = this.protocol.unseal('renewal-answer', signed, byManager);
      if (answer?.nodeId !== this.nodeId) return;
      const now = this.machine.clocks();
      const sent = this.sent.get(answer.nonce) ?? (this.protocol.unasked ? now : undefined);
      if (!sent) return;
      this.sent.delete(answer.nonce);
      this.take(this.protocol.answered(answer, sent, now));
    });
  }

  /** The first step at once, the others a moment later each. */
  private take([step, ...rest]: NodeStep[]): void {
    if (step === undefined) return;
    if (step === 'acknowledge') this.acknowledge(this.heads());
    else if ('acknowledge' in step) this.acknowledge(step.acknowledge);
    else this.lease = step(this.lease);
    if (rest.length === 1 && rest[0] === 'acknowledge') this.take(rest);
    else if (rest.length > 0) this.sim.after(this.sim.random() * 12, () => this.awake(() => this.take(rest)));
  }

  private acknowledge(heads: StreamHead[]): void {
    if (this.cut) return;
    const signed = seal('acknowledgement', { nodeId: this.nodeId, heads }, () => this.nodeId);
    this.network.sendSigned('acknowledgement', signed, (message) => this.managers.acknowledge(message));
  }

  private heads(): StreamHead[] {
    return [...this.lease.known.values()];
  }

  /** A statement with its handle. */
  run(handle: ModelHandle): void {
    this.awake(() => {
      if (handle.nodeId !== this.nodeId || !this.passes(handle)) return;
      const { sim, machine } = this;
      // Until the engine has bound it and taken its snapshot; the process, or the machine, may sleep meanwhile.
      const gap = sim.random() < 0.2 ? sim.random() * 80 : sim.random() * 0.5;
      if (gap > 1 && sim.random() < 0.3) machine.pause(gap);
      if (gap > 1 && sim.random() < 0.4) machine.suspend(gap);
      sim.after(gap, () => {
        const startedAt = sim.now;
        const wait = sim.random() < 0.1 ? sim.random() * 40 : 0.1;
        sim.after(wait, () =>
          this.awake(() => {
            if (handle.nodeId !== this.nodeId) return;
            if (!this.protocol.checksTwice || this.passes(handle)) this.released(startedAt, handle);
            else if (this.lasts) this.askAgain(startedAt, handle);
          }),
        );
      });
    });
  }

  /** Only the version has moved: what the engine has goes out if a fresh handle is of the same set. */
  private askAgain(startedAt: number, before: ModelHandle): void {
    const { sim, protocol } = this;
    if (this.cut) return;
    this.managers.mint(this.nodeId, (fresh) =>
      sim.after(sim.random() * 12, () =>
        this.awake(() => {
          const ours = fresh.nodeId === this.nodeId && protocol.sameSet(before, fresh);
          if (!ours || this.cut) return;
          if (!protocol.checksFresh || this.passes(fresh)) this.released(startedAt, before);
          else if (this.lasts) this.askAgain(startedAt, before);
        }),
      ),
    );
  }

  private get lasts(): boolean {
    return this.protocol.canStart(this.lease, this.machine.clocks());
  }

  private passes({ timeline, versions }: ModelHandle): boolean {
    const { protocol, lease } = this;
    return this.lasts && protocol.isCurrent(lease, timeline, versions);
  }

  /** Runs when the process is awake, unless it was started anew meanwhile. */
  private awake(run: () => void): void {
    const boot = this.boots;
    this.machine.whenAwake(() => {
      if (boot === this.boots) run();
    });
  }
}
