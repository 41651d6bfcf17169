import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { isRunning, openDatabase, processRef, type Database, type ProcessRef } from '@gadwall/database';
import { EventCatalogue, EventStore, POLICY_PROJECTIONS, type NewEvent } from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import { compile, type Compiled } from '../../../../test/support/compiled';
import { freshDatabase, type FreshDatabase } from '../../../../test/support/fresh-database';

let compiled: Compiled;
beforeAll(() => {
  compiled = compile('apps/cli/src', 'libs/database/src', 'libs/events/src', 'libs/rbac/src', 'libs/rewriters/src');
});
afterAll(() => compiled.remove());

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs `gadwall events …` with this environment and no other settings. */
const gadwall = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const program = [join(compiled.path, 'apps/cli/src/main.js'), 'events', ...args];
    execFile(process.execPath, program, { env: { PATH: process.env.PATH, ...env }, cwd: tmpdir() }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

const append = (pool: FreshDatabase['pool'], events: NewEvent[], context = { actor: 'u1' }) =>
  new EventStore(pool, POLICY_PROJECTIONS, { catalogue: new EventCatalogue(POLICY_EVENTS) }).mutate(
    { actor: { kind: 'superuser', id: context.actor }, requestId: 'r' },
    ['$system', 'acme'],
    () => Promise.resolve({ events, result: null }),
  );
const roleId = uuidv7();
const EVENTS: NewEvent[] = [
  {
    stream: '$system',
    type: 'tenant.created',
    schema: 1,
    data: { tenant: 'acme', displayName: 'A', authProvider: 'db' },
  },
  { stream: 'acme', type: 'role.created', schema: 1, data: { roleId, name: 'r', description: null, builtin: false } },
];

describe('gadwall events', () => {
  let database: FreshDatabase;
  const run = (...args: string[]) => gadwall({ DATABASE_URL: database.url }, ...args);
  const tamper = async (statement: string) => {
    const client = new Client({ connectionString: database.adminUrl });
    await client.connect();
    await client.query('SET session_replication_role = replica');
    await client.query(statement);
    await client.end();
  };

  beforeEach(async () => {
    database = await freshDatabase();
    await append(database.pool, EVENTS);
  });
  afterEach(() => database.drop());

  it('list shows the last events, oldest first', async () => {
    const { code, out } = await run('list');
    expect(code).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^\d{4}-\S+Z {2}\$system\/1 {2}tenant\.created {2}superuser:u1 {2}\{"authProvider":"db",/);
    expect(lines[1]).toContain('acme/1  role.created');
  });

  it('list takes filters, and gives JSON', async () => {
    for (const filter of [
      ['--stream', 'acme'],
      ['--type', 'role.created'],
      ['--limit', '1'],
    ]) {
      const { out } = await run('list', '--json', ...filter);
      const events = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events).toEqual([
        expect.objectContaining({ stream: 'acme', version: 1, data: expect.objectContaining({ roleId }) }),
      ]);
      expect(events[0].hash).toMatch(/^[0-9a-f]{64}$/);
    }
    for (const filter of [
      ['--actor', 'u2'],
      ['--since', '2999-01-01'],
      ['--until', '2000-01-01T00:00:00Z'],
    ]) {
      expect(await run('list', ...filter)).toMatchObject({ code: 0, out: '' });
    }
  });

  it('verify ends with 0 when every chain holds', async () => {
    expect(await run('verify')).toEqual({ code: 0, out: '2 events in 2 streams: every chain holds\n', err: '' });
  });

  it('verify ends with 1 and names the first bad event', async () => {
    await tamper(`UPDATE event SET actor = 'someone else' WHERE tenant = 'acme'`);
    expect(await run('verify')).toMatchObject({
      code: 1,
      out: 'stream acme, version 1: its content does not have its hash: it was edited\n',
    });
    const { code, out } = await run('verify', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out).problems).toEqual([{ stream: 'acme', version: 1, problem: 'edited' }]);
  });

  it('verify finds a tail that was cut with its head, by heads saved before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gadwall-heads-'));
    const file = join(folder, 'heads.json');
    await run('verify', '--save', file);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['$system', 'acme']);
    expect((await run('verify', '--known', file)).code).toBe(0);
    await tamper(`DELETE FROM event WHERE tenant = 'acme'`);
    await tamper(`DELETE FROM stream WHERE tenant = 'acme'`);
    expect((await run('verify')).code).toBe(0);
    expect(await run('verify', '--known', file)).toMatchObject({
      code: 1,
      out: 'stream acme, version 1: it is missing\n',
    });
    writeFileSync(file, '{"acme": 1}');
    expect(await run('verify', '--known', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('holds no heads'),
    });
    rmSync(folder, { recursive: true });
  });

  it('rebuild ends with 0 when the live tables are what the log gives', async () => {
    expect(await run('rebuild')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^2 events give 2 rows in \d+ tables: the live tables are the same\n$/),
    });
  });

  it('rebuild ends with 1 and names the rows that differ, or puts them right', async () => {
    await database.pool.query(`UPDATE role SET name = 'x'`);
    const { code, out } = await run('rebuild');
    expect(code).toBe(1);
    expect(out).toContain(`  role id=${roleId}: differs in name\n`);
    expect(JSON.parse((await run('rebuild', '--json')).out).differences).toHaveLength(1);
    expect(await run('rebuild', '--apply')).toMatchObject({ code: 0, out: expect.stringContaining('were replaced') });
    expect((await run('rebuild')).code).toBe(0);
  });

  it('rebuild does nothing with a broken log', async () => {
    await database.pool.query('DELETE FROM role');
    await tamper(`UPDATE event SET actor = 'x' WHERE tenant = 'acme'`);
    expect(await run('rebuild', '--apply')).toMatchObject({
      code: 1,
      out: expect.stringContaining('stream acme, version 1'),
    });
    expect((await database.pool.query('SELECT FROM role')).rowCount).toBe(0);
  });

  it('rebuild names an event that it cannot replay', async () => {
    const foreign: NewEvent = { stream: 'acme', type: 'unheard-of', schema: 1, data: {} };
    await new EventStore(database.pool, []).mutate(
      { actor: { kind: 'system', id: null }, requestId: 'r' },
      ['acme'],
      () => Promise.resolve({ events: [foreign], result: null }),
    );
    expect(await run('rebuild')).toMatchObject({
      code: 1,
      out: expect.stringContaining('cannot be replayed: unheard-of, version 2 of stream acme: '),
    });
  });

  it.each([
    [['list', '--limit', '0']],
    [['list', '--since', 'yesterday']],
    [['list', '--nothing']],
    [['verify', 'surplus']],
    [['nothing']],
    [['verify', '--known', '/nowhere']],
  ])('ends with 2 when asked wrongly: %j', async (args) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).not.toBe('');
  });

  it('ends with 0 for help', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('verify') });
  });

  it('ends with 2 when there is no database', async () => {
    const { code, err } = await gadwall({ GADWALL_DATA_DIR: '/nowhere' }, 'verify');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('there is no database in /nowhere') });
    expect((await gadwall({ DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' }, 'list')).code).toBe(2);
  });
});

describe('gadwall events on the embedded database', () => {
  let dataDir: string;
  let manager: Database;

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'gadwall-cli-'));
    chmodSync(dataDir, 0o711);
    manager = await openDatabase({ dataDir, disposable: true });
    await append(manager.pool, EVENTS);
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('uses the server of the manager that runs, and leaves it to it', async () => {
    expect(await gadwall({ GADWALL_DATA_DIR: dataDir }, 'verify')).toMatchObject({ code: 0 });
    expect((await manager.pool.query('SELECT 1')).rowCount).toBe(1);
    await manager.close();
  });

  it('leaves no server behind when it is interrupted', async () => {
    await manager.pool.query('ALTER TABLE event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');
    await manager.pool.query('CREATE POLICY slow ON event USING ((SELECT true FROM pg_sleep(60)))');
    await manager.close();
    const program = [join(compiled.path, 'apps/cli/src/main.js'), 'events', 'verify'];
    const child = spawn(process.execPath, program, { env: { PATH: process.env.PATH, GADWALL_DATA_DIR: dataDir } });
    const record = () =>
      JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as {
        directory: string;
        owner?: { pid: number };
      };
    while (record().owner?.pid !== child.pid) await sleep(20);
    const pidFile = readFileSync(join(dataDir, record().directory, 'postmaster.pid'), 'utf8');
    const server = processRef(Number(pidFile.split('\n')[0])) as ProcessRef;
    expect(isRunning(server)).toBe(true);
    await sleep(200); // the command is waiting for its query
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
    expect(isRunning(server)).toBe(false);
  });

  it('starts the server of one that does not run, for as long as it needs it', async () => {
    await manager.close();
    expect(await gadwall({ GADWALL_DATA_DIR: dataDir }, 'rebuild')).toMatchObject({ code: 0 });
    manager = await openDatabase({ dataDir, disposable: true });
    expect(manager.applied).toEqual([]);
    await manager.close();
  });
});
