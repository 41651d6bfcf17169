import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../outcome';

const EXAMPLE = join(__dirname, 'example');

/** Writes a first example into a folder that is not there yet. */
export function initCommand(folder: string): void {
  if (existsSync(folder)) throw new UsageError(`${folder} is there already: name a folder that is not`);
  cpSync(EXAMPLE, folder, { recursive: true });
  process.stdout.write(`${folder} holds a first example; run it with: gadwall test ${folder}\n`);
}
