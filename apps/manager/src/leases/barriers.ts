import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  acknowledge,
  type Barrier,
  type BarrierReport,
  gone,
  type HashOf,
  openBarrier,
  reportOf,
  type StreamHead,
} from '@gadwall/events';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { Acknowledgements } from './acknowledgements';
import { PostgresLeaseTable } from './lease-table';
import { StoreWatch } from './store-watch';
import { Versions } from './versions';

/** How a barrier went. Times in ms. */
export interface BarrierOutcome extends BarrierReport {
  waitedMs: number;
  /** After this long, counted from now, it is in force whatever happens; 0 when it is. */
  remainingMs: number;
}

/** The wait of one mutation; it has begun. */
export interface PendingBarrier {
  /** Resolves when the change is in force, or the limit ran out. */
  settled: Promise<BarrierOutcome>;
  /** How it stands. */
  report(): BarrierOutcome;
}

/** Opens the barrier of mutations. Source: DESIGN section 5, "Barrier". */
@Injectable()
export class Barriers {
  private readonly log = new Logger('barrier');

  constructor(
    private readonly table: PostgresLeaseTable,
    private readonly store: StoreWatch,
    private readonly versions: Versions,
    private readonly acknowledgements: Acknowledgements,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
  ) {}

  /** To be called as soon as the mutation has committed. */
  open(moved: readonly StreamHead[]): PendingBarrier {
    const wait = new BarrierWait(moved, this.versions, this.config);
    const stop = this.acknowledgements.listen(wait);
    void this.lookUntil(wait);
    return { settled: wait.settled.finally(stop), report: () => wait.outcome() };
  }

  /** Reads the leases, and again while nodes are outstanding: they may renew with another manager. */
  private async lookUntil(wait: BarrierWait): Promise<void> {
    while (!wait.over) {
      try {
        const { rows, ...identity } = await this.table.leases();
        this.store.see(identity);
        const latest = rows.map((row) => ({ ...row, known: [...row.known, ...this.acknowledgements.of(row.nodeId)] }));
        await wait.read(latest, this.store.settled());
      } catch (error) {
        // Without the leases the wait lasts a TTL.
        this.log.warn({ message: 'the leases could not be read', err: error });
      }
      await wait.pause(this.config.leases.renewMs / 2);
    }
  }
}

class BarrierWait {
  readonly settled: Promise<BarrierOutcome>;
  over = false;
  private barrier: Barrier;
  private opened = false;
  /** What nodes said before the leases were read: what they said last may have come later, and be older. */
  private early: { nodeId: string; heads: readonly StreamHead[] }[] = [];
  private resolve: (outcome: BarrierOutcome) => void = () => undefined;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly startedAt = performance.now();
  private endedAt: number | null = null;
  private readonly hashOf: HashOf;

  constructor(
    moved: readonly StreamHead[],
    private readonly versions: Versions,
    private readonly config: ManagerConfig,
  ) {
    const { ttlMs, barrierLimitMs } = config.leases;
    this.hashOf = (stream, version) =>
      moved.find((head) => head.stream === stream && head.version === version)?.hash ??
      versions.hashOf(stream, version);
    const unread = { rows: null, at: this.startedAt, settled: false };
    this.barrier = openBarrier(moved, unread, this.startedAt, this.hashOf, config.leases);
    this.settled = new Promise((resolve) => (this.resolve = resolve));
    this.timers.push(setTimeout(() => this.end(), barrierLimitMs));
    this.lookAgainAt(this.startedAt + ttlMs);
  }

  /** The leases as they are now. */
  async read(rows: Parameters<typeof openBarrier>[1]['rows'], settled: boolean): Promise<void> {
    if (this.over || rows === null) return;
    const at = performance.now();
    await this.versions.load(rows.flatMap(({ known }) => known).filter((head) => this.concerns(head)));
    if (!this.opened) {
      this.opened = true;
      this.barrier = openBarrier(
        this.barrier.moved,
        { rows, at, settled },
        this.startedAt,
        this.hashOf,
        this.config.leases,
      );
      this.lookAgainAt(this.barrier.lapsedAt);
    }
    const ids = new Set(rows.map(({ nodeId }) => nodeId));
    for (const { nodeId, known } of rows) this.barrier = acknowledge(this.barrier, nodeId, known, this.hashOf, at);
    for (const { nodeId, heads } of this.early.splice(0)) this.acknowledged(nodeId, heads);
    // Whose row was removed has ended, or not renewed for a TTL.
    for (const nodeId of this.barrier.nodes.keys()) if (!ids.has(nodeId)) this.barrier = gone(this.barrier, nodeId, at);
    this.look();
  }

  acknowledged(nodeId: string, heads: readonly StreamHead[]): void {
    if (!this.opened) this.early.push({ nodeId, heads });
    if (!this.barrier.nodes.has(nodeId)) return;
    void this.versions
      .load(heads.filter((head) => this.concerns(head)))
      .then(() => {
        this.barrier = acknowledge(this.barrier, nodeId, heads, this.hashOf, performance.now());
        this.look();
      })
      .catch(() => undefined); // the database is away: the renewal says it again, and a TTL ends the wait
  }

  ended(nodeId: string): void {
    this.early = this.early.filter((said) => said.nodeId !== nodeId);
    this.barrier = gone(this.barrier, nodeId, performance.now());
    this.look();
  }

  outcome(): BarrierOutcome {
    const now = this.endedAt ?? performance.now();
    const report = reportOf(this.barrier, now);
    const remainingMs = report.effective ? 0 : Math.max(0, this.barrier.lapsedAt - now);
    return { ...report, waitedMs: now - this.startedAt, remainingMs };
  }

  async pause(ms: number): Promise<void> {
    await Promise.race([this.settled, new Promise((resolve) => this.timers.push(setTimeout(resolve, ms)))]);
  }

  /** Only heads that can end the wait, and whose hash is not the mutation's own, need looking up. */
  private concerns({ stream, version }: StreamHead): boolean {
    return this.barrier.moved.some((head) => head.stream === stream && version > head.version);
  }

  private lookAgainAt(at: number): void {
    // A timer may fire a fraction early.
    this.timers.push(setTimeout(() => this.look(), Math.max(0, at - performance.now()) + 1));
  }

  private look(): void {
    if (!this.over && reportOf(this.barrier, performance.now()).effective) this.end();
  }

  private end(): void {
    if (this.over) return;
    this.over = true;
    this.endedAt = performance.now();
    for (const timer of this.timers) clearTimeout(timer);
    this.resolve(this.outcome());
  }
}
