import type { Command } from 'commander';
import { demoCommand } from './demo.command';

/** `gadwall demo`. */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('Start everything on this machine, load two tenants, and show what their users may and may not do')
    .option('--exit', 'stop when all is shown; exit code 0 only if every decision was the expected one')
    .addHelpText(
      'after',
      '\nIt keeps its data in .gadwall/demo, or in GADWALL_DATA_DIR, and starts afresh each time. It serves port 20900 of the' +
        '\nloopback, or GADWALL_PORT; any free one if that is taken.',
    )
    .action(demoCommand);
}
