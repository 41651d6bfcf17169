import type { LeaseRow, Renewal, StoreIdentity, StreamHead } from '@gadwall/events';
import type { Simulation } from './simulation';

export const STREAMS = ['acme', '$system'] as const;
export type Stream = (typeof STREAMS)[number];

/** A mutation as the store holds it; its hash stands for it and for all before it. */
export interface Event {
  stream: Stream;
  version: number;
  hash: string;
  /** Whether it changes what the principal of the statements may do. */
  touches: boolean;
}

/** What a manager reads of a policy: the versions, and the events that made it. */
export interface Snapshot {
  versions: Record<Stream, number>;
  events: ReadonlySet<Event>;
  /** Of the principal's set: the same when the same events have touched it. */
  digest: string;
}

interface StoredLease extends LeaseRow {
  since: number;
}

/** Postgres: one server at a time, with crashes, and failovers to a standby that lags behind. */
export class Store {
  private readonly logs: Record<Stream, Event[]> = { acme: [], $system: [] };
  private leases = new Map<string, StoredLease>();
  private generation = 1;
  private starts = 1;
  private startedAt = 0;
  private upAt = 0;
  private made = 0;
  private counter = 0;

  constructor(private readonly sim: Simulation) {}

  /** One statement: it takes a while to arrive, has its effect at one moment, and its answer takes a while, or is lost. */
  statement<T>(run: () => T): Promise<T> {
    const { sim } = this;
    const latency = () => (sim.random() < 0.85 ? sim.random() : sim.random() * 20);
    return new Promise((resolve, reject) => {
      const started = this.starts;
      const fail = (reason: string) => {
        sim.settles();
        reject(new Error(reason));
      };
      sim.after(latency(), () => {
        // A connection does not outlive its server.
        if (started !== this.starts || sim.now < this.upAt) return fail('the database is away');
        const answer = run();
        if (sim.random() < 0.02) return fail('the connection broke');
        sim.after(latency(), () => {
          sim.settles();
          resolve(answer);
        });
      });
    });
  }

  append(stream: Stream): Event {
    const log = this.logs[stream];
    const touches = this.sim.random() < 0.7;
    const event = { stream, version: log.length + 1, hash: `h${this.made++}`, touches };
    log.push(event);
    return event;
  }

  write(renewals: readonly Renewal[]): void {
    for (const { request, streams } of renewals) {
      const counter = this.counter++;
      const row = { nodeId: request.nodeId, streams, counter, known: request.known, since: this.sim.now };
      this.leases.set(request.nodeId, row);
    }
  }

  heads(): StreamHead[] {
    return STREAMS.map((stream) => this.logs[stream].at(-1) ?? { stream, version: 0, hash: 'genesis' });
  }

  rows(): LeaseRow[] {
    return [...this.leases.values()];
  }

  remove(dead: readonly { nodeId: string; counter: number }[]): void {
    for (const { nodeId, counter } of dead) {
      if (this.leases.get(nodeId)?.counter === counter) this.leases.delete(nodeId);
    }
  }

  forget(nodeId: string): void {
    this.leases.delete(nodeId);
  }

  snapshot(): Snapshot {
    const versions = { acme: this.logs.acme.length, $system: this.logs.$system.length };
    const events = [...this.logs.acme, ...this.logs.$system];
    const digest = events.flatMap(({ hash, touches }) => (touches ? [hash] : [])).join();
    return { versions, events: new Set(events), digest };
  }

  hashOf(stream: string, version: number): string | undefined {
    return this.logs[stream as Stream][version - 1]?.hash;
  }

  /** Whether the log still has an event. */
  holds({ stream, version, hash }: StreamHead): boolean {
    return this.hashOf(stream, version) === hash;
  }

  identity(): StoreIdentity {
    const ageMs = this.generation === 1 ? this.sim.now - this.startedAt : null;
    return { timeline: `t${this.generation}`, startedAt: `s${this.starts}`, ageMs };
  }

  /** Comes back as it was, but for leases of a moment ago: a server that does not wait for its disk. */
  crash(): void {
    this.restart();
    this.forgetLeases(10);
  }

  /** A standby takes over, on a timeline of its own; it had not got everything yet. */
  failOver(): void {
    this.restart();
    this.generation++;
    this.counter = Math.max(0, this.counter - 4);
    this.forgetLeases(20);
    for (const stream of STREAMS) {
      const lost = Math.floor(this.sim.random() * 3);
      if (lost > 0) this.logs[stream].splice(-lost);
    }
  }

  private restart(): void {
    this.starts++;
    this.upAt = this.sim.now + this.sim.random() * 8;
    this.startedAt = this.upAt;
  }

  private forgetLeases(youngerThan: number): void {
    for (const [nodeId, { since }] of this.leases) {
      if (this.sim.now - since < youngerThan && this.sim.random() < 0.7) this.leases.delete(nodeId);
    }
  }
}
