import type { Command } from 'commander';
import { serveCommand } from './serve.command';

/** `gadwall serve`. */
export function registerServe(program: Command): void {
  program
    .command('serve')
    .description(
      'Run the manager in the foreground, with the nodes and the PostgreSQL that it starts; Ctrl-C stops all',
    )
    .addHelpText('after', '\nSettings are environment variables: see docs/configuration.md.')
    .action(serveCommand);
}
