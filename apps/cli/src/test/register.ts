import { type Command, Option } from 'commander';
import { TAGS } from '@gadwall/policy-tests';
import { testCommand } from './test.command';

/** `gadwall test DIR`. */
export function registerTest(program: Command): void {
  program
    .command('test')
    .description('Run policy tests: YAML files that say which statements roles and policies let through')
    .argument('<path>', 'a folder of test files and fixtures, or one test file')
    .option('--filter <text>', 'only cases with this text in their id, name or file, whatever its case')
    .addOption(new Option('--tag <tag...>', 'only cases with one of these tags').choices(TAGS))
    .option('--waits <file>', 'a YAML map of ids of cases that cannot hold yet, each with the reason')
    .option('--junit <file>', 'write the results as JUnit XML too')
    .action(testCommand);
}
