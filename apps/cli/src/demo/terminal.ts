import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** A decision as it is shown. */
export interface ShownDecision {
  ok: boolean;
  /** Who, and where: `alice@bi`. */
  who: string;
  sql: string;
  decision: string;
  result: string;
  ms: number;
  reason: string;
}

const SHOW_AFTER_MS = 1000;
/** How often progress is shown where lines cannot be rewritten, ms. */
const LINE_EVERY_MS = 5000;

/** What the demo prints: columns that line up, colours and moving progress at a terminal only. */
export class Terminal {
  private readonly coloured: boolean;

  constructor(private readonly out: NodeJS.WriteStream = process.stdout) {
    // Knows NO_COLOR, FORCE_COLOR and dumb terminals.
    this.coloured = out.isTTY && out.hasColors();
  }

  line(text = ''): void {
    this.out.write(`${text}\n`);
  }

  heading(text: string): void {
    this.line(`\n${this.style('bold', text)}`);
  }

  remark(text: string): void {
    this.line(`   ${this.style('gray', text)}`);
  }

  decision({ ok, who, sql, decision, result, ms, reason }: ShownDecision): void {
    const verdict = this.style(decision === 'allowed' ? 'green' : 'yellow', decision.padEnd(8));
    this.line(` ${this.mark(ok)} ${who.padEnd(14)} ${this.style('cyan', sql)}`);
    this.line(
      `   ${''.padEnd(14)} ${verdict} ${result.padEnd(16)} ${this.duration(ms)}   ${this.style('gray', reason)}`,
    );
  }

  /** Does something, and shows from the first second on that it is under way; then how long it took. */
  async step<T>(label: string, work: () => Promise<T>, told: (result: T) => string = () => label): Promise<T> {
    const start = performance.now();
    const progress = this.progress(label, start);
    try {
      const result = await work();
      progress.end();
      this.line(` ${this.mark(true)} ${told(result).padEnd(84)} ${this.duration(performance.now() - start)}`);
      return result;
    } catch (error) {
      progress.end();
      this.line(` ${this.mark(false)} ${label}`);
      throw error;
    }
  }

  private progress(label: string, start: number): { end: () => void } {
    let shown = -Infinity;
    const show = () => {
      const seconds = Math.round((performance.now() - start) / 1000);
      if (this.out.isTTY) this.out.write(`\r\u001b[K   … ${label} (${seconds} s)`);
      else if (performance.now() - shown > LINE_EVERY_MS - 500) {
        shown = performance.now();
        this.line(`   … ${label} (${seconds} s)`);
      }
    };
    const timer = setInterval(show, SHOW_AFTER_MS);
    return {
      end: () => {
        clearInterval(timer);
        if (this.out.isTTY) this.out.write('\r\u001b[K');
      },
    };
  }

  private duration(ms: number): string {
    return (ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s `).padStart(9);
  }

  private mark(ok: boolean): string {
    return ok ? this.style('green', '✓') : this.style('red', '✗');
  }

  private style(style: Style, text: string): string {
    return this.coloured ? styleText(style, text) : text;
  }
}
