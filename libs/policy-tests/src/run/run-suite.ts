import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyCase } from '../cases';
import { FixtureImages } from './fixture-images';
import { FixtureWorlds } from './fixture-worlds';
import { type Failure, runCase } from './run-case';

/** Cases that run at once: while one waits for its engine, another is judged. */
const AT_ONCE = 4;

export interface CaseResult {
  case: PolicyCase;
  /** Why it does not hold; null when it does. */
  failure: Failure | null;
  /** Why it waits; null when it does not. */
  waits: string | null;
  ms: number;
}

/** How a case counts: one that waits is failed when it holds. */
export function verdictOf({ failure, waits }: CaseResult): 'passed' | 'failed' | 'waiting' {
  if (waits === null) return failure ? 'failed' : 'passed';
  return failure ? 'waiting' : 'failed';
}

/**
 * Runs cases, several at once, and gives their results in their order.
 *
 * @param waits reasons by ids, beside those that cases give themselves
 */
export async function runSuite(
  cases: readonly PolicyCase[],
  waits: ReadonlyMap<string, string>,
): Promise<CaseResult[]> {
  const worlds = await FixtureWorlds.open();
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-test-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const images = new FixtureImages(folder);
  const results: CaseResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < cases.length; i = next++) {
      const one = cases[i] as PolicyCase;
      const started = performance.now();
      const failure = await runCase(one, images, worlds);
      const reason = one.waits ?? waits.get(one.id ?? '') ?? null;
      results[i] = { case: one, failure, waits: reason, ms: performance.now() - started };
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return results;
  } finally {
    await worlds.close();
    process.off('exit', remove);
    remove();
  }
}
