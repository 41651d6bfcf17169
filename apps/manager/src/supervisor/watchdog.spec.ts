import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, isRunning, processRef, type ProcessRef } from '@gadwall/database';
import { compile, ordinaryUser, type Compiled, type RunningProgram } from '../../../../test/support/compiled';

/** What the parent program below reports. */
interface Parts {
  watchdog: ProcessRef;
  postgres: ProcessRef;
  nodes: ProcessRef[];
}

const accounts: [string, { uid: number; gid: number } | undefined][] = [['the account that runs the specs', undefined]];
const user = ordinaryUser();
if (user) accounts.push(['an ordinary user', user]);

describe.each(accounts)('watchdog, as %s', (_, account) => {
  let compiled: Compiled;
  let dataDir: string;
  const left: ProcessRef[] = [];

  /** A process that starts all that a manager starts. One node goes when asked to, one does not. */
  const startManager = async (): Promise<{ program: RunningProgram; parts: Parts }> => {
    const program = await compiled.run(
      `const { ChildProcesses, Watchdog } = compiled('apps/manager/src/supervisor');
       const { openDatabase, processRef } = compiled('libs/database/src');
       const watchdog = new Watchdog();
       const database = await openDatabase({ dataDir: ${JSON.stringify(dataDir)}, disposable: true, onServer: (ref) => watchdog.watch('postgres', ref) });
       const lines = [];
       const children = new ChildProcesses({ watchdog, onOutput: (name) => lines.push(name) });
       const node = (name, code) =>
         children.start({ name, command: process.execPath, args: ['-e', code + '; console.log(1); setInterval(() => {}, 1000)'], stopMs: 500 });
       node('docile', '0');
       node('stubborn', 'process.on("SIGTERM", () => {})');
       while (lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
       const refs = children.list().map((child) => processRef(child.pid));
       process.on('SIGTERM', async () => {
         await children.stopAll();
         await database.close();
         await watchdog.stop();
         process.exit(0);
       });
       process.on('SIGUSR2', () => {
         process.kill(watchdog.pid, 'SIGKILL');
         setTimeout(() => console.error(JSON.stringify(processRef(watchdog.pid))), 1000);
       });
       console.log(JSON.stringify({ watchdog: processRef(watchdog.pid), postgres: database.server.ref, nodes: refs }));`,
      account,
    );
    const parts = program.said as Parts;
    left.push(parts.postgres, ...parts.nodes);
    return { program, parts };
  };
  const allGoneAfter = async (refs: ProcessRef[]): Promise<number> => {
    const start = Date.now();
    while (refs.some(isRunning) && Date.now() - start < 15_000) await sleep(20);
    return Date.now() - start;
  };

  beforeAll(() => {
    compiled = compile('libs/database/src', 'apps/manager/src/supervisor');
  });
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'gadwall-watchdog-'));
    chmodSync(dataDir, 0o711);
    if (account) chownSync(dataDir, account.uid, account.gid);
  });
  afterEach(async () => {
    for (const ref of left.splice(0)) await endProcess(ref, []);
    rmSync(dataDir, { recursive: true });
  });
  afterAll(() => compiled.remove());

  it('ends PostgreSQL and nodes within 5 s when the manager is killed', async () => {
    const { program, parts } = await startManager();
    const { watchdog, postgres, nodes } = parts;
    expect([watchdog, postgres, ...nodes].map(isRunning)).toEqual([true, true, true, true]);
    program.process.kill('SIGKILL');
    await program.exit;
    expect(await allGoneAfter([watchdog, postgres, ...nodes])).toBeLessThan(5000);
    // It was a clean stop, of a database that starts again.
    const again = await startManager();
    again.program.process.kill('SIGKILL');
    await again.program.exit;
    expect(await allGoneAfter([again.parts.watchdog, again.parts.postgres, ...again.parts.nodes])).toBeLessThan(5000);
  });

  it('does so too when it was itself killed before, and started again by the manager', async () => {
    const { program, parts } = await startManager();
    program.process.kill('SIGUSR2');
    while (!program.complaints().includes('}')) await sleep(20);
    const second = JSON.parse(program.complaints()) as ProcessRef;
    expect(isRunning(parts.watchdog)).toBe(false);
    expect(isRunning(second)).toBe(true);
    program.process.kill('SIGKILL');
    await program.exit;
    expect(await allGoneAfter([second, parts.postgres, ...parts.nodes])).toBeLessThan(5000);
  });

  it('has nothing left to do after an orderly stop', async () => {
    const { program, parts } = await startManager();
    program.process.kill('SIGTERM');
    expect(await program.exit).toBe(0);
    expect([parts.watchdog, parts.postgres, ...parts.nodes].map(isRunning)).toEqual([false, false, false, false]);
  });

  it('survives what is sent to the manager’s group, and kills no process that only has the number of one it watched', async () => {
    const bystander = await compiled.run('console.log(1); setInterval(() => {}, 1000);', account);
    const ref = processRef(bystander.process.pid ?? 0) as ProcessRef;
    left.push(ref);
    const program = await compiled.run(
      `const { Watchdog } = compiled('apps/manager/src/supervisor');
       const { processRef } = compiled('libs/database/src');
       const watchdog = new Watchdog();
       watchdog.watch('node', { pid: ${ref.pid}, started: 'another time' });
       for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) setTimeout(() => process.kill(watchdog.pid, signal), 300);
       setTimeout(() => console.log(JSON.stringify(processRef(watchdog.pid))), 600);
       setInterval(() => {}, 1000);`,
      account,
    );
    const watchdog = program.said as ProcessRef;
    expect(isRunning(watchdog)).toBe(true);
    program.process.kill('SIGKILL');
    await program.exit;
    await allGoneAfter([watchdog]);
    expect(isRunning(watchdog)).toBe(false);
    expect(isRunning(ref)).toBe(true);
  });
});
