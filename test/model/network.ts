import type { Signed } from '@gadwall/events';
import type { Simulation } from './simulation';

/** Delivers late, twice, in any order or never; and somebody listens who says things again, and things of their own. */
export class Network {
  private readonly overheard = new Map<string, (() => void)[]>();

  constructor(private readonly sim: Simulation) {}

  send(deliver: () => void): void {
    const { sim } = this;
    if (sim.random() < 0.1) return;
    sim.after(this.delay(), deliver);
    if (sim.random() < 0.1) sim.after(this.delay(), deliver);
  }

  /** Sends a signed message that others can read on its way. */
  sendSigned(kind: string, message: Signed, deliver: (message: Signed) => void): void {
    this.send(() => deliver(message));
    const said = this.overheard.get(kind) ?? [];
    this.overheard.set(kind, said);
    said.push(() => deliver(message));
  }

  /** Some of what was said before is said again, within a while. */
  replay(times: number, within: number, only?: string): void {
    const { overheard, sim } = this;
    for (let i = 0; i < times; i++) {
      // What is short of words is said as often as what there is much of.
      const kinds = only === undefined ? [...overheard.keys()] : [only];
      const said = overheard.get(kinds[Math.floor(sim.random() * kinds.length)] ?? '') ?? [];
      const again = said[Math.floor(sim.random() * said.length)];
      if (again) sim.after(sim.random() * within, again);
    }
  }

  /** Mostly quick, sometimes longer than two leases. */
  private delay(): number {
    return this.sim.random() < 0.75 ? this.sim.random() * 2 : this.sim.random() * 70;
  }
}
