import { watch } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT, UsageError } from '../outcome';
import { testCommand, type TestOptions } from './test.command';

/** ms after a change in which others are waited for: editors write a file in several steps. */
const SETTLE_MS = 200;

/** Runs what is under a path, and again after each change of a YAML file there, or of the waits; never returns. */
export async function watchCommand(path: string, options: TestOptions): Promise<never> {
  let changed: () => void = () => undefined;
  const onChange = (_: string, file: string | null): void => {
    if (file === null || /\.ya?ml$/i.test(file)) changed();
  };
  const folders = options.waits === undefined ? [path] : [path, dirname(options.waits)];
  for (const folder of folders) watch(folder, { recursive: true }, onChange);
  for (;;) {
    const change = new Promise<void>((resolve) => (changed = resolve));
    await runOnce(path, options);
    process.stdout.write(`waiting for a change in ${folders.join(' or ')}\n`);
    await change;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }
}

/** A file that is wrong is told, and waited for to be mended. */
async function runOnce(path: string, options: TestOptions): Promise<void> {
  try {
    await testCommand(path, options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.exitCode = EXIT.usage;
    process.stderr.write(`gadwall: ${error.message}\n`);
  }
}
