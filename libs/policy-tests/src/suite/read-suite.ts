import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type PolicyCase, readTestFile } from '../cases';
import { type Fixture, readFixture } from '../fixture';
import { FileFault, type Place, readYaml } from '../source';

/** The cases of all files under a path, in the order of the files, or what is wrong in each file that is not well. */
export type ReadSuite = { cases: PolicyCase[] } | { faults: FileFault[] };

/**
 * Reads a test file, or all `.yaml` and `.yml` files under a folder: those with cases, and those that are fixtures.
 *
 * @param besides a file under the folder that is neither, as the one of waits
 */
export function readSuite(path: string, besides: string | null): ReadSuite {
  const faults: FileFault[] = [];
  const cases: PolicyCase[] = [];
  const fixtures = new FixtureFiles();
  for (const file of filesUnder(path, faults)) {
    if (besides !== null && resolve(file) === resolve(besides)) continue;
    try {
      const place = readYaml(file);
      if (isTestFile(place)) cases.push(...readTestFile(place, (at) => fixtures.at(at)));
      else fixtures.file(file, place);
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      faults.push(error);
    }
  }
  faults.push(...twice(cases));
  return faults.length > 0 ? { faults: distinct(faults) } : { cases };
}

/** @param above folders that it is in, by their real paths: a link to one of them leads nowhere */
function filesUnder(path: string, faults: FileFault[], above: readonly string[] = []): string[] {
  try {
    if (!statSync(path).isDirectory()) return above.length === 0 || /\.ya?ml$/i.test(path) ? [path] : [];
    const real = realpathSync(path);
    if (above.includes(real)) return [];
    return readdirSync(path)
      .sort()
      .flatMap((name) => filesUnder(join(path, name), faults, [...above, real]));
  } catch {
    faults.push(new FileFault(path, 1, 1, 'there is no such file or folder'));
    return [];
  }
}

function isTestFile(place: Place): boolean {
  return place.isMap && place.entries('a file').some(([key]) => key === 'cases' || key === 'fixture');
}

/** Each fixture file is read once, whoever names it. */
class FixtureFiles {
  private readonly read = new Map<string, Fixture>();

  /** The fixture that a test file holds, or names relative to itself. */
  at(place: Place): Fixture {
    if (place.isMap) return readFixture(place);
    const named = place.text('fixture');
    const file = isAbsolute(named) ? named : join(dirname(place.file), named);
    try {
      return this.file(file, null);
    } catch (error) {
      if (error instanceof FileFault && error.text === 'there is no such file') {
        throw place.fault(`there is no fixture ${file}`);
      }
      throw error;
    }
  }

  file(file: string, place: Place | null): Fixture {
    const known = this.read.get(resolve(file));
    if (known) return known;
    const fixture = readFixture(place ?? readYaml(file));
    this.read.set(resolve(file), fixture);
    return fixture;
  }
}

/** Ids are given once in all files. */
function twice(cases: readonly PolicyCase[]): FileFault[] {
  const known = new Map<string, PolicyCase>();
  return cases.flatMap((one) => {
    if (one.id === null) return [];
    const first = known.get(one.id);
    if (first) return [new FileFault(one.file, one.line, 1, `the id ${one.id} is also at ${first.file}:${first.line}`)];
    known.set(one.id, one);
    return [];
  });
}

/** A fixture that several files name is faulty once. */
function distinct(faults: readonly FileFault[]): FileFault[] {
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}
