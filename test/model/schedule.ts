import { seal, type Signed, type StreamHead } from '@gadwall/events';
import { ModelManager } from './manager.model';
import { Network } from './network';
import { type Managers, type ModelHandle, ModelNode } from './node.model';
import { type Protocol, REAL } from './protocol';
import { randomOf, Simulation } from './simulation';
import { type Event, Store, STREAMS } from './store';

/** A statement that saw less than it had to. */
export interface StaleAllow {
  startedAt: number;
  event: StreamHead;
  effectiveAt: number;
}

export interface ScheduleResult {
  /** Mutations that answered `effective: true`. */
  effective: number;
  /** Statements whose rows went out. */
  released: number;
  stale: StaleAllow[];
}

/** Most things happen until then; after that what is under way comes to its end. */
const BUSY = 250;
const END = 330;

/** How often what befalls the processes of a schedule; each schedule stresses something else. */
interface Weather {
  restarts: number;
  crashes: number;
  failOver: number;
  sleeps: number;
  intruder: number;
  /** How often each node is cut off from all managers. */
  cuts: number;
}

const WEATHER: readonly Weather[] = [
  { restarts: 0.1, crashes: 0, failOver: 0, sleeps: 1, intruder: 0.3, cuts: 2 },
  { restarts: 0.9, crashes: 0, failOver: 0, sleeps: 0, intruder: 0.3, cuts: 1 },
  { restarts: 0.9, crashes: 0, failOver: 0, sleeps: 0, intruder: 0.3, cuts: 0 },
  { restarts: 0.5, crashes: 2, failOver: 0, sleeps: 0, intruder: 0.1, cuts: 1 },
  { restarts: 0.1, crashes: 0, failOver: 1, sleeps: 0, intruder: 1, cuts: 2 },
];

/** One random schedule: what a few processes do, and what befalls them. */
async function runSchedule(seed: number, protocol: Protocol = REAL): Promise<ScheduleResult> {
  const sim = new Simulation(randomOf(seed));
  const weather = WEATHER[seed % WEATHER.length] as Weather;
  const world = new World(sim, protocol, weather.intruder);
  const often = (times: number, run: () => void) => {
    for (let i = 0; i < times; i++) sim.after(sim.random() * BUSY, run);
  };
  const rarely = (chance: number, run: () => void) => often(sim.random() < chance ? 1 : 0, run);
  often(7, () => {
    const starts = sim.random() < weather.restarts;
    if (starts) world.restart();
    // Those whose handles are of before it are the ones that it must stop.
    for (let i = 0; i < 12; i++) world.statement(45);
    sim.after(starts ? sim.random() * 8 : 0, () => world.mutate());
  });
  often(10, () => world.statement(60));
  for (const node of world.nodes) often(weather.cuts, () => world.cutOff(node));
  for (const { machine } of [...world.nodes, ...world.managers]) {
    often(1, () => machine.pause(sim.random() * 80));
    rarely(weather.sleeps / 2, () => machine.suspend(sim.random() * 80));
    rarely(weather.sleeps, () => machine.setWall((sim.random() * 2 - 1) * 100));
  }
  for (const manager of world.managers) rarely(weather.restarts / 2, () => manager.boot());
  often(weather.crashes, () => world.strike(() => world.store.crash()));
  if (sim.random() < weather.failOver) {
    sim.after(40 + sim.random() * 80, () => world.store.failOver());
  }
  await sim.run(END);
  return world.result;
}

/** Two nodes, two managers, a store, and what lies between them. */
class World {
  readonly store: Store;
  readonly managers: ModelManager[];
  readonly nodes: ModelNode[];
  readonly result: ScheduleResult = { effective: 0, released: 0, stale: [] };
  private readonly network: Network;
  private readonly effective: { event: Event; at: number }[] = [];

  constructor(
    private readonly sim: Simulation,
    protocol: Protocol,
    /** How much an intruder has to say. */
    private readonly intruder: number,
  ) {
    this.store = new Store(sim);
    this.network = new Network(sim);
    const publish = (message: Signed) => this.publish(message);
    this.managers = [0, 1].map(() => new ModelManager(sim, this.store, protocol, publish));
    const road: Managers = {
      renew: (request, answer) => this.any(this.managers).renew(request, answer),
      acknowledge: (message) => this.managers.forEach((manager) => manager.acknowledge(message)),
      mint: (nodeId, send) => this.any(this.managers).mint(nodeId, send),
    };
    const released = (startedAt: number, handle: ModelHandle) => this.released(startedAt, handle);
    this.nodes = ['n0', 'n1'].map((name) => new ModelNode(name, sim, this.network, protocol, road, released));
  }

  node(): ModelNode {
    return this.any(this.nodes);
  }

  /** A node's process ends and another begins; mostly somebody sees it. */
  restart(): void {
    const node = this.node();
    const { nodeId } = node;
    node.boot();
    if (this.sim.random() < 0.8) this.sim.after(this.sim.random(), () => this.any(this.managers).ended(nodeId));
  }

  /** A node is alone, and a mutation comes while it is. */
  cutOff(node: ModelNode): void {
    const { sim } = this;
    node.cutOff(sim.random() * 90);
    for (let i = 0; i < 6; i++) this.statement(35, node);
    if (sim.random() < 0.5) sim.after(sim.random() * 20, () => this.mutate());
  }

  /** The store goes, mostly when it is least wanted. */
  strike(run: () => void): void {
    const { sim } = this;
    if (sim.random() < 0.6) this.node().cutOff(sim.random() * 40);
    for (let i = 0; i < 8; i++) this.statement(25);
    sim.after(sim.random() * 3, run);
    sim.after(sim.random() * 20, () => this.mutate());
  }

  mutate(): void {
    this.any(this.managers).mutate(this.any(STREAMS), (event) => {
      this.result.effective++;
      this.effective.push({ event, at: this.sim.now });
    });
  }

  /** Its handle is minted now, and used within a while. */
  statement(within: number, node = this.node()): void {
    const { sim } = this;
    this.any(this.managers).mint(node.nodeId, (handle) => sim.after(sim.random() * within, () => node.run(handle)));
  }

  private publish(message: Signed): void {
    for (const node of this.nodes) this.network.sendSigned('version', message, (given) => node.hear(given));
    if (this.sim.random() < this.intruder) this.intrude();
  }

  /** An intruder without a key says that there is more, and that nodes have applied all; and repeats what was said before. */
  private intrude(): void {
    const { sim, store, network } = this;
    const node = this.node();
    network.replay(20, 15);
    network.replay(30, 15, 'acknowledgement');
    const heads = store.heads();
    const acknowledgement = seal('acknowledgement', { nodeId: node.nodeId, heads }, () => 'forged');
    sim.after(sim.random() * 6, () => this.managers.forEach((manager) => manager.acknowledge(acknowledgement)));
    const more = heads.map(({ stream, version }) => ({ stream, version: version + 1, hash: 'forged' }));
    const message = seal('version', { timeline: store.identity().timeline, heads: more }, () => 'forged');
    sim.after(sim.random() * 20, () => node.hear(message));
  }

  private released(startedAt: number, handle: ModelHandle): void {
    this.result.released++;
    const { store, effective } = this;
    const missed = ({ event, at }: { event: Event; at: number }) =>
      event.touches && at < startedAt && store.holds(event) && !handle.events.has(event);
    const stale = effective.find(missed);
    if (stale) this.result.stale.push({ startedAt, event: stale.event, effectiveAt: stale.at });
  }

  private any<T>(all: readonly T[]): T {
    return all[Math.floor(this.sim.random() * all.length)] as T;
  }
}

/** Runs schedules of seeds from..from + count - 1; stops at the first stale allow when asked to. */
export async function runSchedules(
  protocol: Protocol,
  { from = 1, count, stopAtFirst = false }: { from?: number; count: number; stopAtFirst?: boolean },
): Promise<{ schedules: number; effective: number; released: number; stale: ({ seed: number } & StaleAllow)[] }> {
  const total = { schedules: 0, effective: 0, released: 0, stale: [] as ({ seed: number } & StaleAllow)[] };
  for (let seed = from; seed < from + count; seed++) {
    const { effective, released, stale } = await runSchedule(seed, protocol);
    total.schedules++;
    total.effective += effective;
    total.released += released;
    total.stale.push(...stale.map((found) => ({ seed, ...found })));
    if (stopAtFirst && stale.length > 0) break;
  }
  return total;
}
