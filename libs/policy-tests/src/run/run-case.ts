import { isAdministration } from '@gadwall/sqladmin';
import type { PolicyCase, Step } from '../cases';
import type { Door, FixtureImage } from '../engine';
import { askedBy, type Mismatch, mismatchOf, secretsIn } from '../expectation';
import type { Fixture } from '../fixture';
import { administer, admit, type PolicyWorld, withSecureView } from '../world';
import { FileFault } from '../source';
import type { FixtureImages } from './fixture-images';
import type { FixtureWorlds } from './fixture-worlds';
import { type Outcome, outcomeOfError } from './outcome';

/** Where and why a case does not hold. */
export interface Failure extends Mismatch {
  /** In the file of the case. */
  line: number;
  /** Whose statement it was; null = a change of policy, or nobody's. */
  as: string | null;
  sql: string | null;
  outcome: Outcome | null;
}

/** Runs a case from a fresh copy of its fixture, once for each principal that it is to hold for; stops at what does not. */
export async function runCase(one: PolicyCase, images: FixtureImages, worlds: FixtureWorlds): Promise<Failure | null> {
  for (const steps of one.runs) {
    const run = new CaseRun(one, images, worlds);
    try {
      const failure = await run.steps(steps);
      if (failure) return failure;
    } finally {
      await run.close();
    }
  }
  return null;
}

type Statement = Extract<Step, { kind: 'statement' }>;

class CaseRun {
  private world: PolicyWorld;
  private readonly doors = new Map<FixtureImage, Promise<Opened>>();

  constructor(
    private readonly one: PolicyCase,
    private readonly images: FixtureImages,
    private readonly worlds: FixtureWorlds,
  ) {
    this.world = one.fixture.world;
  }

  private get fixture(): Fixture {
    return this.one.fixture;
  }

  async steps(steps: readonly Step[]): Promise<Failure | null> {
    try {
      this.world = await this.worlds.of(this.fixture);
    } catch (error) {
      if (error instanceof FileFault)
        return this.unable(`the policies of ${this.fixture.file} to be valid`, error.message);
      throw error;
    }
    const image = await this.images.of(this.fixture);
    this.world = image.secureViews.reduce(withSecureView, this.world);
    const fault = image.faultFor(steps.map(({ sql }) => sql));
    if (fault !== null) return this.unable(`the fixture ${this.fixture.file} to be filled`, fault);
    const { door } = await this.open(image, (username) => admit(this.world, username));
    for (const step of steps) {
      const failure = await (step.kind === 'do' ? this.change(door, step) : this.statement(door, step));
      if (failure) return failure;
    }
    return null;
  }

  private async change(door: Door, { sql, line }: Extract<Step, { kind: 'do' }>): Promise<Failure | null> {
    const seen = await this.administered(door, null, sql);
    if (seen.kind === 'answer') return null;
    const expected = 'a change of policy';
    return { line, as: null, sql, outcome: seen, expected, seen: `refused: ${seen.message}` };
  }

  /** A statement of the administration dialect is answered by the control plane; no engine sees it. */
  private async administered(door: Door, username: string | null, sql: string): Promise<Outcome> {
    try {
      const { world, listing } = await administer(this.world, username, sql, {
        parser: this.worlds.parser,
        views: door,
      });
      this.world = world;
      const rows = listing.rows.map((row) => [...row]);
      return { kind: 'answer', columns: [...listing.columns], rows, affected: null, objects: [] };
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  private async statement(door: Door, step: Statement): Promise<Failure | null> {
    for (const username of step.as) {
      const failure = await this.statementOf(username, door, step);
      if (failure) return failure;
    }
    return null;
  }

  private async statementOf(username: string, door: Door, { sql, expect, line }: Statement): Promise<Failure | null> {
    const seen = await (isAdministration(sql) ? this.administered(door, username, sql) : door.run(username, sql));
    const asked = askedBy(expect);
    const state = new Map<string, Outcome>();
    for (const question of asked.state) state.set(question, await door.ask(question));
    const twins = new Map<string, Outcome>();
    for (const name of asked.twins) {
      const image = await this.images.twin(this.fixture, name);
      const fault = image.faultFor([sql]);
      if (fault !== null) return this.unable(`the twin ${name} of ${this.fixture.file} to be filled`, fault);
      const twin = await this.open(image, () => admit(this.world, username));
      twins.set(name, await twin.door.ask(sql));
    }
    const mismatch = this.leak(username, seen) ?? mismatchOf(expect, { seen, twins, state });
    return mismatch && { line, as: username, sql, outcome: seen, ...mismatch };
  }

  private leak(username: string, seen: Outcome): Mismatch | null {
    if (this.world.superusers.has(username)) return null;
    const kept = this.fixture.secrets.filter((secret) => !this.one.reveals.includes(secret));
    const leaked = secretsIn(seen, kept);
    if (leaked.length === 0) return null;
    return { expected: 'no secret in the answer', seen: `${leaked.join(', ')} in it` };
  }

  private unable(expected: string, fault: string): Failure {
    const { line } = this.one;
    return { line, as: null, sql: null, outcome: null, expected, seen: fault };
  }

  private open(image: FixtureImage, admitted: Parameters<FixtureImage['open']>[0]): Promise<Opened> {
    const known = this.doors.get(image);
    if (known) return known;
    const opening = image.open(admitted);
    this.doors.set(image, opening);
    return opening;
  }

  async close(): Promise<void> {
    for (const opening of await Promise.allSettled(this.doors.values())) {
      if (opening.status === 'fulfilled') await opening.value.close();
    }
  }
}

type Opened = Awaited<ReturnType<FixtureImage['open']>>;
