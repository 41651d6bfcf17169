import { Command } from 'commander';
import { statementBench } from './statement.bench';

const program = new Command('bench').description(
  'Benchmarks; every figure is a ratio against a baseline of the same run',
);

program
  .command('statement')
  .description('what the pipeline of a node adds to a statement, against raw DuckDB and the path of a superuser')
  .option('--rounds <n>', 'measured rounds', '200')
  .option('--json <file>', 'write the figures to a file')
  .action(({ rounds, json }: { rounds: string; json?: string }) => statementBench(Number(rounds), json));

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
