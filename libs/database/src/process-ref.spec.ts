import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endProcess, isRunning, processRef, type ProcessRef } from './process-ref';

describe('processRef', () => {
  const children: ChildProcess[] = [];
  /** Runs a program that says when it is ready. */
  const run = async (code: string): Promise<{ child: ChildProcess; ref: ProcessRef }> => {
    const child = spawn(process.execPath, ['-e', `${code}; console.log(1); setInterval(() => {}, 1000)`]);
    children.push(child);
    await once(child.stdout, 'data');
    return { child, ref: processRef(child.pid ?? 0) as ProcessRef };
  };
  const IGNORES_TERM = `process.on('SIGTERM', () => {})`;

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it('stays the same while the process runs, and is null for none', async () => {
    const { child, ref } = await run('');
    expect(processRef(process.pid)).toEqual(processRef(process.pid));
    expect(processRef(child.pid ?? 0)).toEqual(ref);
    expect(isRunning(ref)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isRunning(ref)).toBe(false);
    for (const none of [child.pid ?? 0, 0, -1, NaN, 2 ** 30]) expect(processRef(none)).toBeNull();
  });

  it('is not that of another process with the same number', async () => {
    const { ref } = await run('');
    const earlier = { ...ref, started: `${ref.started}0` };
    expect(isRunning(earlier)).toBe(false);
    expect(await endProcess(earlier, [['SIGTERM', 1000]])).toBeNull();
    expect(isRunning(ref)).toBe(true);
  });

  it('counts one that has ended but was not waited for as gone', async () => {
    // A shell that does not wait for its child, which so stays a zombie.
    const shell = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 5']);
    children.push(shell);
    const [output] = (await once(shell.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    while (processRef(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(() => process.kill(pid, 0)).not.toThrow();
  });

  it('ends with the first signal that works', async () => {
    const docile = await run('');
    expect(await endProcess(docile.ref, [['SIGTERM', 5000]])).toBe('SIGTERM');
    const stubborn = await run(IGNORES_TERM);
    const steps = [
      ['SIGTERM', 100],
      ['SIGINT', 5000],
    ] as const;
    expect(await endProcess(stubborn.ref, steps)).toBe('SIGINT');
    const worse = await run(IGNORES_TERM);
    expect(await endProcess(worse.ref, [['SIGTERM', 100]])).toBe('SIGKILL');
    expect([docile, stubborn, worse].some(({ ref }) => isRunning(ref))).toBe(false);
  });
});
