import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, chmodSync, constants, cpSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '../..');

/** Sources compiled for processes of their own, which a spec may kill. */
export interface Compiled {
  /** The folder with the compiled files, laid out as in the repository. */
  path: string;
  /** `run(code)` starts `node -e code`, where `compiled(path)` requires a compiled file; resolves with its first line of output. */
  run(code: string, options?: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv }): Promise<RunningProgram>;
  remove(): void;
}

export interface RunningProgram {
  process: ChildProcess;
  /** The first line that it printed, as JSON. */
  said: unknown;
  /** What it wrote to standard error so far. */
  complaints(): string;
  exit: Promise<number | NodeJS.Signals | null>;
}

/** Compiles folders of the repository, e.g. `libs/database/src`. */
export function compile(...folders: string[]): Compiled {
  const out = mkdtempSync(join(tmpdir(), 'gadwall-compiled-'));
  const swc = join(ROOT, 'node_modules/@swc/cli/bin/swc.js');
  execFileSync('node', [swc, ...folders, '-d', out, '--ignore', '**/*.spec.ts', '--copy-files', '-q'], {
    cwd: ROOT,
    stdio: 'pipe',
  });
  cpSync(join(ROOT, 'prisma'), join(out, 'prisma'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(out, 'node_modules'));
  chmodSync(out, 0o755);
  return {
    path: out,
    async run(code, { env, ...account } = {}) {
      const prelude = `const compiled = (path) => require(${JSON.stringify(`${out}/`)} + path);`;
      const child = spawn(process.execPath, ['-e', `${prelude}(async () => {${code}})()`], {
        ...account,
        cwd: tmpdir(),
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let complaints = '';
      child.stderr.on('data', (chunk) => (complaints += String(chunk)));
      const exit = new Promise<number | NodeJS.Signals | null>((resolve) =>
        child.once('close', (exitCode, signal) => resolve(exitCode ?? signal)),
      );
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const first = await lines.next();
      if (first.done) throw new Error(`ended with ${String(await exit)}: ${complaints}`);
      return { process: child, said: JSON.parse(first.value), complaints: () => complaints, exit };
    },
    remove: () => rmSync(out, { recursive: true }),
  };
}

/**
 * Another account that can read this repository, when the specs run as root: to run things as an ordinary user. Null when they
 * run as one already, or the repository lies where only root can read.
 */
export function ordinaryUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  accessSync(ROOT, constants.R_OK);
  for (let folder = ROOT; ; folder = dirname(folder)) {
    if (!(statSync(folder).mode & 0o001)) return null;
    if (folder === dirname(folder)) return { uid: 65534, gid: 65534 };
  }
}
