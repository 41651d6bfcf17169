/** How often memory is looked at, ms. A thread of the engine was seen to take 2.6 MB a ms. */
const LOOK_MS = 20;
/** Looks in a row over the ceiling, after statements were stopped, before the node ends. */
const MAX_LOOKS = 75;
/** Times the ceiling, where the node ends at once: an engine in the middle of a row does not hear that it is to stop. */
const BRINK = 1.5;

/** What is done when memory is over the ceiling. */
interface Measures {
  /** Stops the statements under way. */
  stop: () => void;
  /** Ends the node: the engine did not let go. */
  end: () => void;
}

/**
 * Keeps one node from taking the machine's memory (DESIGN invariant 16): the engine does not count all that it takes. The node
 * comes to 1.5 times the ceiling and what the engine takes between two looks, no more.
 */
export class MemoryGuard {
  private over = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly ceiling: number,
    private readonly measures: Measures,
    private readonly resident: () => number = () => process.memoryUsage.rss(),
  ) {
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const resident = this.resident();
    if (resident <= this.ceiling) {
      this.over = 0;
      return;
    }
    this.over++;
    if (this.over === 1) this.measures.stop();
    if (this.over < MAX_LOOKS && resident <= this.ceiling * BRINK) return;
    this.stop();
    this.measures.end();
  }
}
