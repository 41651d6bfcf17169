import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the node's thread came to what was due, ms, over one window of time. */
export interface LoopDelay {
  windowMs: number;
  p50: number;
  p999: number;
  max: number;
}

/** How often the thread is to come by, ms; what it is late beyond that counts. */
const RESOLUTION_MS = 5;
const WINDOW_MS = 5000;

/** Watches whether anything holds the node's thread (DESIGN invariant 16). */
export class EventLoop {
  private readonly histogram: IntervalHistogram;
  private readonly timer: NodeJS.Timeout;
  private last: LoopDelay | null = null;

  constructor(private readonly windowMs = WINDOW_MS) {
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.histogram.enable();
    this.timer = setInterval(() => this.turn(), windowMs);
    this.timer.unref();
  }

  /** Of the last window that is over; null in the first one. */
  get delay(): LoopDelay | null {
    return this.last;
  }

  stop(): void {
    clearInterval(this.timer);
    this.histogram.disable();
  }

  private turn(): void {
    const late = (ns: number) => Math.max(0, Math.round(ns / 1e4 - RESOLUTION_MS * 100) / 100);
    const { histogram, windowMs } = this;
    this.last = {
      windowMs,
      p50: late(histogram.percentile(50)),
      p999: late(histogram.percentile(99.9)),
      max: late(histogram.max),
    };
    histogram.reset();
  }
}
