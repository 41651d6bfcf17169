import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of this build: that of the nearest package.json, as the build may lie in `dist` or in the sources. */
export const MANAGER_VERSION = versionAbove(__dirname);

function versionAbove(folder: string): string {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  } catch {
    const parent = dirname(folder);
    return parent === folder ? 'unknown' : versionAbove(parent);
  }
}
