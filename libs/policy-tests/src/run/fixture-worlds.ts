import { PolicyParser } from '@gadwall/engine';
import type { PolicyCase } from '../cases';
import { type Fixture, governedWorld } from '../fixture';
import { FileFault } from '../source';
import type { PolicyWorld } from '../world';

/** The worlds of fixtures with their policies, each made when it is first asked for, by one parser. */
export class FixtureWorlds {
  private readonly worlds = new Map<Fixture, Promise<PolicyWorld>>();

  private constructor(readonly parser: PolicyParser) {}

  static async open(): Promise<FixtureWorlds> {
    return new FixtureWorlds(await PolicyParser.open());
  }

  /** @throws FileFault for a policy that is not valid */
  of(fixture: Fixture): Promise<PolicyWorld> {
    const known = this.worlds.get(fixture);
    if (known) return known;
    const making = governedWorld(fixture, this.parser);
    this.worlds.set(fixture, making);
    return making;
  }

  close(): Promise<void> {
    return this.parser.close();
  }
}

/** The policies of fixtures that are not valid, one a fixture, at their places. */
export async function policyFaults(cases: readonly PolicyCase[]): Promise<FileFault[]> {
  const worlds = await FixtureWorlds.open();
  const faults: FileFault[] = [];
  try {
    for (const fixture of new Set(cases.map((one) => one.fixture))) {
      await worlds.of(fixture).catch((error: unknown) => {
        if (!(error instanceof FileFault)) throw error;
        faults.push(error);
      });
    }
    return faults;
  } finally {
    await worlds.close();
  }
}
