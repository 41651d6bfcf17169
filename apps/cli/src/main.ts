#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { registerDemo } from './demo';
import { registerEvents } from './events';
import { EXIT } from './outcome';
import { registerServe } from './serve';
import { registerTest } from './test';

/** The `gadwall` command. Each folder beside this file registers the commands of one feature. */
function createProgram(): Command {
  const program = new Command('gadwall').description('Access control for fleets of DuckDB nodes');
  registerServe(program);
  registerDemo(program);
  registerEvents(program);
  registerTest(program);
  return program;
}

/** Usage errors end the process with a code of their own, from every command. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwInsteadOfExit);
}

async function main(): Promise<number> {
  const program = createProgram();
  throwInsteadOfExit(program);
  try {
    await program.parseAsync();
    return Number(process.exitCode ?? EXIT.clean);
  } catch (error) {
    // Commander has said what it has to say by itself; asking for help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.usage;
    process.stderr.write(`gadwall: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT.usage;
  }
}

void main().then((code) => {
  process.exitCode = code;
});
