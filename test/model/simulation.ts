import type { Instant } from '@gadwall/events';

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

interface Scheduled {
  time: number;
  order: number;
  run: () => void;
}

/** Virtual time: what is due runs in order, each to its end with all promises that it settles. */
export class Simulation {
  now = 0;
  private readonly queue: Scheduled[] = [];
  private order = 0;
  private settling = false;

  constructor(readonly random: () => number) {}

  /** Runs something after a while. */
  after(delay: number, run: () => void): void {
    const entry = { time: this.now + delay, order: this.order++, run };
    let i = this.queue.push(entry) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && before(entry, this.queue[parent]); parent = (i - 1) >> 1) {
      this.queue[i] = this.queue[parent] as Scheduled;
      i = parent;
    }
    this.queue[i] = entry;
  }

  /** Whoever settles a promise says so: what waits for it runs before time goes on. */
  settles(): void {
    this.settling = true;
  }

  async run(until: number): Promise<void> {
    for (let next = this.take(); next !== undefined && next.time <= until; next = this.take()) {
      this.now = next.time;
      next.run();
      // As many as the longest chain of promises between two things that take time.
      for (let i = 0; this.settling && i < 10; i++) await Promise.resolve();
      this.settling = false;
    }
  }

  private take(): Scheduled | undefined {
    const { queue } = this;
    const [first] = queue;
    const last = queue.pop();
    if (first === undefined || last === undefined || queue.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= queue.length) break;
      if (child + 1 < queue.length && before(queue[child + 1] as Scheduled, queue[child])) child++;
      if (!before(queue[child] as Scheduled, last)) break;
      queue[i] = queue[child] as Scheduled;
      i = child;
    }
    queue[i] = last;
    return first;
  }
}

function before(a: Scheduled, b: Scheduled | undefined): boolean {
  return b === undefined || a.time < b.time || (a.time === b.time && a.order < b.order);
}

/** What a process runs on: its two clocks, and pauses during which none of its code runs. */
export class Machine {
  private readonly rate: number;
  private readonly sleeps: boolean;
  private wakesAt = 0;
  private frozen = 0;
  private jumped = 0;

  /** @param drift how much faster or slower its clocks may run, as a share */
  constructor(
    private readonly sim: Simulation,
    drift: number,
  ) {
    const share = sim.random() * 2 - 1;
    // The ends are where it hurts.
    this.rate = 1 + (sim.random() < 0.5 ? Math.sign(share) : share) * drift;
    this.sleeps = sim.random() < 0.5;
  }

  clocks(): Instant {
    const { now } = this.sim;
    return { monotonic: (now - this.frozen) * this.rate, wall: now * this.rate + this.jumped };
  }

  /** SIGSTOP and, later, SIGCONT: both clocks go on. */
  pause(length: number): void {
    this.wakesAt = Math.max(this.wakesAt, this.sim.now + length);
  }

  /** The machine sleeps, if it is one that does: its monotonic clock stands still. */
  suspend(length: number): void {
    this.pause(length);
    if (this.sleeps) this.frozen += length;
  }

  /**
   * Somebody sets the wall clock. A machine that sleeps and has its wall clock set back besides has no clock left to tell that
   * time has passed: that is not promised (docs/consistency.md).
   */
  setWall(by: number): void {
    this.jumped += this.sleeps ? Math.abs(by) : by;
  }

  whenAwake(run: () => void): void {
    const { wakesAt, sim } = this;
    if (wakesAt > sim.now) sim.after(wakesAt - sim.now + sim.random() * 0.01, () => this.whenAwake(run));
    else run();
  }
}
