import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, processRef, type ProcessRef } from '@gadwall/database';
import { ChildProcesses, type ChildProcessesOptions, type ChildStatus } from './child-processes';

const BACK_OFF = { minMs: 20, maxMs: 200, healthyMs: 60_000 };

describe('ChildProcesses', () => {
  const all: ChildProcesses[] = [];
  const make = (options: ChildProcessesOptions = {}) => {
    const made = new ChildProcesses({ backOff: BACK_OFF, ...options });
    all.push(made);
    return made;
  };
  const script = (name: string, code: string, more = {}) => ({
    name,
    command: process.execPath,
    args: ['-e', code],
    ...more,
  });
  const FOREVER = 'setInterval(() => {}, 1000)';
  const until = async (met: () => boolean) => {
    for (const end = Date.now() + 10_000; !met(); await sleep(10)) if (Date.now() > end) throw new Error('never');
  };
  const ref = (status: ChildStatus | null) => processRef(status?.pid ?? 0) as ProcessRef;

  afterEach(async () => {
    await Promise.all(all.splice(0).map((children) => children.stopAll()));
  });

  it('starts a child, gives what it writes line by line, and stops it', async () => {
    const lines: string[] = [];
    const children = make({ onOutput: (name, line, stream) => lines.push(`${name} ${stream} ${line}`) });
    children.start(script('a', `console.log('one\\ntwo'); console.error('three'); ${FOREVER}`));
    await until(() => lines.length === 3);
    expect(lines.sort()).toEqual(['a stderr three', 'a stdout one', 'a stdout two']);
    const running = ref(children.status('a'));
    await children.stop('a');
    expect(isRunning(running)).toBe(false);
    expect(children.status('a')).toBeNull();
  });

  it('gives a child its own environment and little of ours', async () => {
    process.env.GADWALL_SECRET_OF_SPEC = 'x';
    const lines: string[] = [];
    const children = make({ onOutput: (_, line) => lines.push(line) });
    children.start(script('a', 'console.log(JSON.stringify(process.env))', { env: () => ({ JOIN: 'token' }) }));
    delete process.env.GADWALL_SECRET_OF_SPEC;
    await until(() => lines.length > 0);
    const env = JSON.parse(lines[0] ?? '{}') as Record<string, string>;
    expect(env).toMatchObject({ JOIN: 'token', PATH: process.env.PATH });
    expect(env).not.toHaveProperty('GADWALL_SECRET_OF_SPEC');
  });

  it('makes the environment anew at each start', async () => {
    const lines: string[] = [];
    const children = make({ onOutput: (_, line) => lines.push(line) });
    let starts = 0;
    const env = () => ({ JOIN: `token ${++starts}` });
    children.start(script('a', 'console.log(process.env.JOIN)', { env }));
    await until(() => lines.length === 3);
    expect(lines).toEqual(['token 1', 'token 2', 'token 3']);
  });

  it('starts a child that ended again, later each time', async () => {
    const starts: number[] = [];
    const children = make({ onChange: (status) => status.state === 'running' && starts.push(Date.now()) });
    children.start(script('a', 'process.exit(3)'));
    await until(() => starts.length === 5);
    expect(children.status('a')).toMatchObject({ restarts: 4, lastExit: { code: 3, signal: null } });
    const waits = starts.slice(1).map((start, i) => start - (starts[i] ?? 0));
    expect(waits[3]).toBeGreaterThan(150);
    expect(waits[0]).toBeLessThan(waits[3] ?? 0);
  });

  it('starts afresh with short waits once a child ran for long enough', async () => {
    const starts: number[] = [];
    const children = make({
      backOff: { minMs: 20, maxMs: 60_000, healthyMs: 0 },
      onChange: (status) => status.state === 'running' && starts.push(Date.now()),
    });
    children.start(script('a', 'process.exit(0)'));
    await until(() => starts.length === 15); // doubling, the tenth wait alone would be 10 s
  });

  it('goes on trying a program that cannot be started', async () => {
    const children = make();
    children.start({ name: 'a', command: '/nowhere/program', args: [] });
    await until(() => (children.status('a')?.restarts ?? 0) > 1);
    expect(children.status('a')?.lastExit?.error).toContain('ENOENT');
    await children.stop('a');
    expect(children.list()).toEqual([]);
  });

  it('kills a child that does not end when asked to', async () => {
    const lines: string[] = [];
    const children = make({ onOutput: (_, line) => lines.push(line) });
    children.start(script('a', `process.on('SIGTERM', () => {}); console.log('up'); ${FOREVER}`, { stopMs: 100 }));
    await until(() => lines.length > 0);
    const running = ref(children.status('a'));
    await children.stop('a');
    expect(isRunning(running)).toBe(false);
  });

  it('replaces a stuck child at once', async () => {
    const children = make();
    children.start(script('a', FOREVER));
    const first = ref(children.status('a'));
    await children.restart('a', 0);
    const second = ref(children.status('a'));
    expect(second).not.toEqual(first);
    expect(isRunning(first)).toBe(false);
    expect(isRunning(second)).toBe(true);
  });

  it('does not start a child again that is stopped while it is being restarted, or waiting', async () => {
    const children = make();
    children.start(script('a', FOREVER));
    await Promise.all([children.restart('a'), children.stop('a')]);
    expect(children.list()).toEqual([]);
    children.start(script('b', 'process.exit(1)'));
    await until(() => children.status('b')?.state === 'waiting');
    await children.stop('b');
    children.start(script('c', FOREVER));
    await Promise.all([children.restart('c'), children.stopAll()]);
    expect(children.list()).toEqual([]);
    expect(() => children.start(script('d', FOREVER))).toThrow('being stopped');
  });

  it('takes a name once', () => {
    const children = make();
    children.start(script('a', FOREVER));
    expect(() => children.start(script('a', FOREVER))).toThrow('there already');
  });

  it('tells the watchdog of each process, and of its end', async () => {
    const watched = new Set<number>();
    const ever: number[] = [];
    const children = make({
      watchdog: {
        watch: (_, { pid }) => void (watched.add(pid), ever.push(pid)),
        forget: ({ pid }) => void watched.delete(pid),
      },
    });
    children.start(script('a', 'setTimeout(() => process.exit(1), 50)'));
    await until(() => ever.length === 3);
    expect(watched.size).toBe(1);
    await children.stopAll();
    expect(watched.size).toBe(0);
  });
});
