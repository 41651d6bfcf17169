import type { Command } from 'commander';
import { EXIT, UsageError } from '../outcome';
import { initCommand } from './init.command';
import type { TestOptions } from './test.command';

/** Where `--init` writes when no folder is named. */
const EXAMPLE_FOLDER = 'policy-tests';

/** `gadwall test DIR`. */
export function registerTest(program: Command): void {
  program
    .command('test')
    .description('Run policy tests: YAML files that say what roles and policies let through (docs/policy-tests.md)')
    .argument('[path]', 'a folder of test files and fixtures, or one test file')
    .option('--filter <text>', 'only cases with this text in their id, name or file')
    .option('--tag <tag>', 'only cases with this tag, or one of several', several)
    .option('--waits <file>', 'a YAML map of ids of cases that cannot hold yet, each with the reason')
    .option('--junit <file>', 'write the results as JUnit XML too')
    .option('--watch', 'run again whenever a file changes')
    .option('--init', `write a first example into the folder (default: ${EXAMPLE_FOLDER})`)
    .action(async (path: string | undefined, options: TestOptions & { watch?: boolean; init?: boolean }) => {
      if (options.init) return initCommand(path ?? EXAMPLE_FOLDER);
      if (path === undefined) throw new UsageError('name a folder of policy tests, or write a first one with --init');
      // With what it does at its exit: nothing that was written for a run is left.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(EXIT.usage));
      // Loaded here: no other command needs an engine in its process.
      if (options.watch) await (await import('./watch.command')).watchCommand(path, options);
      else await (await import('./test.command')).testCommand(path, options);
    });
}

function several(text: string, others: readonly string[] = []): string[] {
  return [...others, text];
}
