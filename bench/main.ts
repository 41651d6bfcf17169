import { Command } from 'commander';
import { barrierBench } from './barrier.bench';
import { effectiveBench } from './effective.bench';
import { eventsBench } from './events.bench';
import { governedBench } from './governed.bench';
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

program
  .command('governed')
  .description('what masks and row filters add to a statement, against the governed statement written by hand')
  .option('--rounds <n>', 'measured rounds', '40')
  .option('--scale <n>', 'TPC-H scale factor', '1')
  .option('--json <file>', 'write the figures to a file')
  .action(({ rounds, scale, json }: { rounds: string; scale: string; json?: string }) =>
    governedBench(Number(rounds), Number(scale), json),
  );

program
  .command('effective')
  .description('what an admission costs a manager in a tenant of 100,000 users, idle and while the policy changes')
  .option('--json <file>', 'write the figures to a file')
  .action(({ json }: { json?: string }) => effectiveBench(json));

program
  .command('barrier')
  .description('commit, node applied, answered: a mutation until it is in force on 8 nodes that follow a stream')
  .option('--rounds <n>', 'measured mutations of each kind', '300')
  .option('--json <file>', 'write the figures to a file')
  .action(({ rounds, json }: { rounds: string; json?: string }) => barrierBench(Number(rounds), json));

program
  .command('events')
  .description('appends a second, and rebuild and verify of a log of a million events')
  .option('--events <n>', 'events of the log', '1000000')
  .option('--json <file>', 'write the figures to a file')
  .action(({ events, json }: { events: string; json?: string }) => eventsBench(Number(events), json));

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
