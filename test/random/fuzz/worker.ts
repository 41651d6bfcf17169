import { readFileSync, writeFileSync } from 'node:fs';
import { randomOf } from '../../model/simulation';
import type { Told, Trial } from './ground';
import { mutant } from './mutations';
import { TIME_LIMIT, type Tried, TriedGround } from './tried';

/** ms for which the node's thread may be held; by one statement, each time that it is tried. */
const MAX_HELD = 500;
const TRIES = 3;
/** ms in which a statement has to be answered, and let go of by the engine. */
const MAX_MS = 2 * TIME_LIMIT;
/** Statements after which it is looked whether anything was changed. */
const BATCH = 250;
const ANSWERS = new Set(
  'ok sql_error access_denied single_statement_required invalid_parameters statement_too_large statement_timeout'.split(
    ' ',
  ),
);
/** In a trial with a planted fault: the statement that has it. */
const PLANTED = 20;

const tell = (told: Told) => new Promise<void>((resolve) => process.send?.(told, () => resolve()));

/** What a statement was tried with, and on. */
interface Attempt {
  seed: number;
  sql: string;
  on: TriedGround;
  planted: Trial['plant'];
}

class Worker {
  private readonly outcomes: Record<string, number> = {};
  private slowest = 0;

  constructor(
    private readonly trial: Trial,
    private readonly grounds: ReadonlyMap<string, TriedGround>,
  ) {}

  async run(): Promise<void> {
    const { seed, count, plant } = this.trial;
    const states = new Map<TriedGround, string>();
    for (const one of this.grounds.values()) states.set(one, await one.state());
    let admitted: Attempt[] = [];
    for (let i = 0; i < count; i++) {
      const attempt = { ...this.attempt(seed + i), planted: i === PLANTED ? plant : null };
      writeFileSync(this.trial.noteFile, attempt.sql);
      if (await this.tried(attempt)) admitted.push(attempt);
      if ((i + 1) % BATCH !== 0 && i + 1 !== count) continue;
      await this.compare(states, admitted);
      admitted = [];
      await tell({ kind: 'progress', done: i + 1 });
    }
    await tell({ kind: 'end', outcomes: this.outcomes, slowestMs: this.slowest });
  }

  private attempt(seed: number): Omit<Attempt, 'planted'> {
    const random = randomOf(seed);
    const { corpus } = this.trial;
    const [one, other] = [0, 0].map(() => corpus[Math.floor(random() * corpus.length)]);
    if (!one || !other) throw new Error('there is no corpus');
    const on = this.grounds.get(one.ground);
    if (!on) throw new Error(`there is no ground ${one.ground}`);
    return { seed, sql: mutant(one.sql, other.sql, random), on };
  }

  /** By each user; whether one was let through. */
  private async tried(attempt: Attempt): Promise<boolean> {
    let through = false;
    for (const user of attempt.on.users()) {
      const set = attempt.planted === 'leak' || attempt.planted === 'write' ? { ...user, tenant: null } : user;
      const { code, told } = await this.timed(attempt, () => attempt.on.run(set, planted(attempt)));
      this.outcomes[code] = (this.outcomes[code] ?? 0) + 1;
      if (!ANSWERS.has(code)) await this.fault(attempt, `was answered ${code}: ${told}`);
      const leaked = attempt.on.ground.secrets.filter(
        (secret) => told.includes(secret) && !attempt.sql.includes(secret),
      );
      if (leaked.length > 0)
        await this.fault(attempt, `a secret is in the answer to ${user.username}: ${told.slice(0, 500)}`);
      through ||= code === 'ok';
    }
    return through;
  }

  private async timed(attempt: Attempt, run: () => Promise<Tried>): Promise<Tried> {
    // A machine that is busy holds a thread too: a statement that does is tried again.
    for (let left = TRIES; ; left--) {
      const started = performance.now();
      let [last, held] = [started, 0];
      const tick = () => {
        const now = performance.now();
        [held, last] = [Math.max(held, now - last), now];
      };
      const timer = setInterval(tick, 20);
      if (attempt.planted === 'crash') process.abort();
      if (attempt.planted === 'hang') await new Promise(() => undefined);
      const answer = await run();
      if (attempt.planted === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * MAX_HELD);
      clearInterval(timer);
      tick();
      const took = performance.now() - started;
      this.slowest = Math.max(this.slowest, took);
      const how = held > MAX_HELD ? `the thread was held for ${held} ms` : took > MAX_MS ? `took ${took} ms` : null;
      if (how === null) return answer;
      if (left > 1) continue;
      await this.fault(attempt, how);
      return answer;
    }
  }

  private async compare(states: Map<TriedGround, string>, admitted: readonly Attempt[]): Promise<void> {
    for (const [on, before] of states) {
      const after = await on.state();
      if (after === before) continue;
      states.set(on, after);
      for (const one of admitted.filter((attempt) => attempt.on === on)) {
        await this.fault(one, `it, or another one of these, changed something: ${firstDifference(before, after)}`);
      }
    }
  }

  private fault({ seed, sql }: Attempt, what: string): Promise<void> {
    return tell({ kind: 'fault', seed, what, sql });
  }
}

/** For a planted fault, a statement that shows it. */
function planted({ planted, sql, on }: Attempt): string {
  const { catalog, schema } = on.ground.reads;
  if (planted === 'leak') return `SELECT '${on.ground.secrets[0] ?? ''}'`;
  return planted === 'write' ? `CREATE OR REPLACE VIEW ${catalog}.${schema}.planted AS SELECT 1 AS a` : sql;
}

function firstDifference(before: string, after: string): string {
  const at = [...before].findIndex((character, i) => after[i] !== character);
  return after.slice(Math.max(at - 100, 0), at + 200);
}

async function main(): Promise<void> {
  const trial = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Trial;
  const grounds = new Map<string, TriedGround>();
  for (const [name, ground] of Object.entries(trial.grounds)) grounds.set(name, await TriedGround.open(ground));
  await new Worker(trial, grounds).run();
  for (const one of grounds.values()) await one.close();
  process.disconnect();
}

void main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
