import { readFile, writeFile } from 'node:fs/promises';
import { verify, type ChainProblem, type Head } from '@gadwall/events';
import { EXIT, UsageError } from '../outcome';
import { withDatabase } from './with-database';

export async function verifyCommand(options: { known?: string; save?: string; json?: boolean }): Promise<void> {
  const known = options.known === undefined ? {} : await readHeads(options.known);
  await withDatabase(async (pool) => {
    const { problems, events, heads } = await verify(pool, { known });
    const sound = problems.length === 0;
    if (options.json) process.stdout.write(`${JSON.stringify({ problems, events, heads })}\n`);
    else if (sound)
      process.stdout.write(`${events} events in ${Object.keys(heads).length} streams: every chain holds\n`);
    else process.stdout.write(describeProblems(problems));
    if (sound && options.save !== undefined) await writeFile(options.save, JSON.stringify(heads, null, 2));
    process.exitCode = sound ? EXIT.clean : EXIT.faulty;
  });
}

const PROBLEMS: Record<ChainProblem['problem'], string> = {
  edited: 'its content does not have its hash: it was edited',
  replaced: 'it is not the event that the chain went on from: it was replaced',
  missing: 'it is missing',
  order: 'it does not follow the event before it: events were taken out or change places',
  unexpected: 'it comes after the stream’s head',
};

/** The first bad event of each stream, one a line. */
export function describeProblems(problems: ChainProblem[]): string {
  return problems
    .map(({ stream, version, problem }) => `stream ${stream}, version ${version}: ${PROBLEMS[problem]}\n`)
    .join('');
}

async function readHeads(file: string): Promise<Record<string, Head>> {
  let heads: unknown;
  try {
    heads = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new UsageError(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const isHead = (head: unknown) =>
    typeof (head as Head | null)?.version === 'number' && typeof (head as Head | null)?.hash === 'string';
  if (typeof heads !== 'object' || heads === null || !Object.values(heads).every(isHead)) {
    throw new UsageError(`${file} holds no heads: make it with --save`);
  }
  return heads as Record<string, Head>;
}
