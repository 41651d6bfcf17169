import { writeFileSync } from 'node:fs';
import {
  FileFault,
  junitReport,
  policyFaults,
  readSuite,
  readWaits,
  runSuite,
  selected,
  type Tag,
  TAGS,
  textReport,
  verdictOf,
} from '@gadwall/policy-tests';
import { EXIT, UsageError } from '../outcome';

export interface TestOptions {
  filter?: string;
  tag?: string[];
  waits?: string;
  junit?: string;
}

/** Runs what is under a path once. @throws UsageError for a file that is wrong, a policy of a fixture too, with its line, and for no case at all */
export async function testCommand(path: string, { filter, tag, waits, junit }: TestOptions): Promise<void> {
  const suite = readSuite(path, waits ?? null);
  if ('faults' in suite) throw new UsageError(suite.faults.map(({ message }) => message).join('\n'));
  const cases = selected(suite.cases, { filter: filter ?? null, tags: tag?.map(tagOf) ?? null });
  if (suite.cases.length === 0) throw new UsageError(`there is no case under ${path}`);
  if (cases.length === 0) throw new UsageError(`there is no such case among the ${suite.cases.length} under ${path}`);
  const faults = await policyFaults(cases);
  if (faults.length > 0) throw new UsageError(faults.map(({ message }) => message).join('\n'));
  const results = await runSuite(cases, waits === undefined ? new Map() : reasons(waits));
  if (junit !== undefined) writeFileSync(junit, junitReport(results));
  process.stdout.write(textReport(results));
  process.exitCode = results.some((result) => verdictOf(result) === 'failed') ? EXIT.faulty : EXIT.clean;
}

function reasons(file: string): ReadonlyMap<string, string> {
  try {
    return readWaits(file);
  } catch (error) {
    throw error instanceof FileFault ? new UsageError(error.message) : error;
  }
}

function tagOf(text: string): Tag {
  const tag = TAGS.find((candidate) => candidate === text);
  if (!tag) throw new UsageError(`there is no tag ${text}; it is one of: ${TAGS.join(', ')}`);
  return tag;
}
