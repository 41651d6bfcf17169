import { InvalidArgumentError, type Command } from 'commander';
import { listCommand } from './list.command';
import { rebuildCommand } from './rebuild.command';
import { verifyCommand } from './verify.command';

/** `gadwall events list|verify|rebuild`. */
export function registerEvents(program: Command): void {
  const events = program
    .command('events')
    .description('The log of policy events: DATABASE_URL, else the database in GADWALL_DATA_DIR (default .gadwall)');
  events
    .command('list')
    .description('Show the last events')
    .option('--stream <name>', 'of one stream: a tenant, or $system')
    .option('--type <type>', 'of one type')
    .option('--actor <id>', 'of one actor')
    .option('--since <time>', 'from this time on, ISO 8601', time)
    .option('--until <time>', 'before this time, ISO 8601', time)
    .option('--limit <n>', 'at most so many', count, 50)
    .option('--json', 'one JSON object a line, with hashes')
    .action(listCommand);
  events
    .command('verify')
    .description('Prove the hash chain of every stream; exit code 1 if one is broken')
    .option('--known <file>', 'heads saved earlier, which show even a tail that was cut together with its head')
    .option('--save <file>', 'write the heads to a file, if all is well')
    .option('--json', 'the outcome as JSON')
    .action(verifyCommand);
  events
    .command('rebuild')
    .description('Replay the log into empty tables and compare them with the live ones; exit code 1 if they differ')
    .option('--apply', 'put the replayed rows in the place of the live ones')
    .option('--json', 'the outcome as JSON')
    .action(rebuildCommand);
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('a number from 1 on');
  return Number(text);
}

function time(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('a time such as 2026-01-31T12:00:00Z');
  return date;
}
