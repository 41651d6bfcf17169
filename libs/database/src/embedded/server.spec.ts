import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { compile, ordinaryUser, type Compiled } from '../../../../test/support/compiled';
import { endProcess, isRunning, processRef, type ProcessRef } from '../process-ref';
import { startEmbedded, type EmbeddedServer } from './server';
import type { ClusterRecord } from './data-folder';

const me = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

describe('startEmbedded', () => {
  let dataDir: string;
  let compiled: Compiled;
  const servers: EmbeddedServer[] = [];
  const started: ProcessRef[] = [];
  const folders: string[] = [];

  const newFolder = (owner = me) => {
    const folder = mkdtempSync(join(tmpdir(), 'gadwall-embedded-'));
    chmodSync(folder, 0o711);
    chownSync(folder, owner.uid, owner.gid);
    folders.push(folder);
    return folder;
  };
  const start = async (options: { guest?: boolean; log?: (message: string) => void; dataDir?: string } = {}) => {
    const server = await startEmbedded({ dataDir, disposable: true, onServer: (ref) => started.push(ref), ...options });
    servers.push(server);
    return server;
  };
  const record = (of = dataDir) => {
    const content = JSON.parse(readFileSync(join(of, 'postgres.json'), 'utf8')) as ClusterRecord;
    return { ...content, directory: resolve(of, content.directory) };
  };
  const ask = async (url: string, sql: string) => {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>({ text: sql })).rows;
    } finally {
      await client.end();
    }
  };
  /** Another process that starts a server and reports it; it holds on to it until it is killed. */
  const startElsewhere = (options: object = {}, as?: { uid: number; gid: number }) =>
    compiled.run(
      `const { startEmbedded } = compiled('libs/database/src/embedded/server');
       const { ref, url } = await startEmbedded(${JSON.stringify({ dataDir, disposable: true, ...options })});
       console.log(JSON.stringify({ ref, url }));
       setInterval(() => {}, 1000);`,
      as,
    );

  beforeAll(() => {
    compiled = compile('libs/database/src');
  });
  beforeEach(() => {
    dataDir = newFolder();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    for (const ref of started.splice(0)) await endProcess(ref, [['SIGQUIT', 5000]]);
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  afterAll(() => compiled.remove());

  it('gives a server that asks everyone for a password, on loopback only', async () => {
    const server = await start();
    const { hostname, port, password } = new URL(server.url);
    expect(hostname).toBe('127.0.0.1');
    const settings = await ask(
      server.adminUrl,
      `SELECT name, setting FROM pg_settings
       WHERE name IN ('listen_addresses', 'unix_socket_directories', 'password_encryption') ORDER BY name`,
    );
    expect(settings.map((row) => row.setting)).toEqual(['127.0.0.1', 'scram-sha-256', '']);
    const rules = await ask(server.adminUrl, 'SELECT DISTINCT type, auth_method FROM pg_hba_file_rules ORDER BY 1');
    expect(rules).toEqual([
      { type: 'host', auth_method: 'scram-sha-256' },
      { type: 'local', auth_method: 'reject' },
    ]);
    for (const wrong of ['', 'x', password.slice(1)]) {
      await expect(ask(`postgresql://gadwall:${wrong}@127.0.0.1:${port}/gadwall`, 'SELECT 1')).rejects.toThrow(
        /password/i,
      );
    }
    // The database's owner is nobody to the server, and nobody else comes into the database.
    expect(await ask(server.url, 'SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user')).toEqual([
      { rolsuper: false, rolcreaterole: false },
    ]);
    await server.stop();
    expect(isRunning(server.ref)).toBe(false);
  });

  it('keeps passwords in files of their owner only, and out of the server’s sight', async () => {
    process.env.GADWALL_SECRET_OF_SPEC = 'do-not-pass-on';
    const server = await start();
    delete process.env.GADWALL_SECRET_OF_SPEC;
    expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
    expect(statSync(record().directory).mode & 0o777).toBe(0o700);
    expect(record().password).not.toBe(record().adminPassword);
    if (process.platform === 'linux') {
      expect(readFileSync(`/proc/${server.ref.pid}/environ`, 'utf8')).not.toContain('do-not-pass-on');
    }
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).not.toContain(record().password);
  });

  it('does not run as root', async () => {
    const server = await start();
    if (process.platform === 'linux') {
      const owner = statSync(`/proc/${server.ref.pid}`).uid;
      expect(owner).not.toBe(0);
      expect(statSync(record().directory).uid).toBe(owner);
    }
  });

  it('keeps data from one start to the next', async () => {
    const first = await start();
    await ask(first.url, 'CREATE TABLE kept (n int)');
    await first.stop();
    const second = await start();
    expect(await ask(second.url, `SELECT to_regclass('kept')::text AS t`)).toEqual([{ t: 'kept' }]);
    expect(second.ref).not.toEqual(first.ref);
  });

  it('adopts the server that a killed process left', async () => {
    const other = await startElsewhere();
    const left = (other.said as { ref: ProcessRef }).ref;
    other.process.kill('SIGKILL');
    await other.exit;
    expect(isRunning(left)).toBe(true);
    const server = await start();
    expect(server.ref).toEqual(left);
    await server.stop();
    expect(isRunning(left)).toBe(false);
  });

  it('starts a server that crashed again, at its port, with what was committed', async () => {
    const server = await start();
    const crashed = server.ref;
    await ask(server.url, 'CREATE TABLE kept (n int)');
    process.kill(crashed.pid, 'SIGKILL');
    let found: unknown;
    while (!found) found = await ask(server.url, `SELECT to_regclass('kept')::text AS t`).catch(() => sleep(50));
    expect(found).toEqual([{ t: 'kept' }]);
    for (const end = Date.now() + 5000; server.ref.pid === crashed.pid && Date.now() < end;) await sleep(10);
    expect(server.ref).not.toEqual(crashed);
    expect(started).toEqual([crashed, server.ref]);
    await server.stop();
    expect(isRunning(server.ref)).toBe(false);
  });

  it('recovers a server that was killed together with its manager', async () => {
    const other = await startElsewhere();
    process.kill(other.process.pid ?? 0, 'SIGKILL');
    process.kill((other.said as { ref: ProcessRef }).ref.pid, 'SIGKILL');
    await other.exit;
    const server = await start();
    expect(await ask(server.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('finds its data in a folder that was moved', async () => {
    const first = await start();
    await ask(first.url, 'CREATE TABLE kept (n int)');
    await first.stop();
    const moved = `${dataDir}-moved`;
    renameSync(dataDir, moved);
    folders.push(moved);
    mkdirSync(dataDir);
    const second = await start({ dataDir: moved });
    expect(await ask(second.url, `SELECT to_regclass('kept')::text AS t`)).toEqual([{ t: 'kept' }]);
  });

  it('keeps what a failed statement held out of the server’s log', async () => {
    const server = await start();
    await ask(server.url, 'CREATE TABLE secrets (n int CHECK (n > 0), hash text UNIQUE)');
    await ask(server.url, `INSERT INTO secrets VALUES (1, 'top-secret')`);
    await expect(ask(server.url, `INSERT INTO secrets VALUES (0, 'top-secret')`)).rejects.toThrow();
    await expect(ask(server.url, `INSERT INTO secrets VALUES (1, 'top-secret')`)).rejects.toThrow();
    await server.stop();
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('violates');
    expect(log).not.toContain('top-secret');
  });

  it('refuses a second manager, whose stop would take the server from the first', async () => {
    const other = await startElsewhere();
    started.push((other.said as { ref: ProcessRef }).ref);
    await expect(start()).rejects.toThrow(`another manager (process ${other.process.pid}) runs on`);
    other.process.kill('SIGKILL');
    await other.exit;
  });

  it('lets a guest use a manager’s server, and leaves it running', async () => {
    const other = await startElsewhere();
    const { ref } = other.said as { ref: ProcessRef };
    const guest = await start({ guest: true });
    expect(guest.ref).toEqual(ref);
    await guest.stop();
    expect(isRunning(ref)).toBe(true);
    other.process.kill('SIGKILL');
    await other.exit;
  });

  it('hands a guest’s server over to a manager that starts meanwhile', async () => {
    await (await start()).stop();
    const guest = await startElsewhere({ guest: true });
    const { ref } = guest.said as { ref: ProcessRef };
    const manager = await start();
    expect(manager.ref).toEqual(ref);
    guest.process.kill('SIGKILL');
    await guest.exit;
    await manager.stop();
    expect(isRunning(ref)).toBe(false);
  });

  it('makes one cluster, for one manager, when several start on an empty folder', async () => {
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => startElsewhere()));
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(won).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('another manager');
    }
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres-'))).toHaveLength(1);
    started.push((won[0]?.said as { ref: ProcessRef }).ref);
    won[0]?.process.kill('SIGKILL');
    await won[0]?.exit;
  });

  it('makes nothing for a guest', async () => {
    const empty = join(dataDir, 'empty');
    await expect(start({ guest: true, dataDir: empty })).rejects.toThrow(`there is no database in ${empty}`);
    expect(existsSync(empty)).toBe(false);
  });

  it('starts a stopped server for a guest, and stops it after', async () => {
    await (await start()).stop();
    const guest = await start({ guest: true });
    expect(isRunning(guest.ref)).toBe(true);
    await guest.stop();
    expect(isRunning(guest.ref)).toBe(false);
  });

  it('is not stopped by the lock of a process that has ended', async () => {
    writeFileSync(join(dataDir, 'starting.lock'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
    await start();
  });

  describe('when postmaster.pid was left', () => {
    let stopped: EmbeddedServer;

    beforeEach(async () => {
      stopped = await start();
      await stopped.stop();
    });
    const leavePidFile = (pid: number, port: number) =>
      writeFileSync(
        join(record().directory, 'postmaster.pid'),
        [pid, record().directory, 1700000000, port, '', '127.0.0.1', '', 'ready'].join('\n'),
      );

    it('by a process that is gone: starts', async () => {
      leavePidFile(stopped.ref.pid, 1);
      await start();
    });

    it('and its number is another process’ now: starts, and leaves that one alone', async () => {
      const other = await compiled.run(`console.log(1); setInterval(() => {}, 1000);`);
      leavePidFile(other.process.pid ?? 0, 1);
      const server = await start();
      expect(server.ref.pid).not.toBe(other.process.pid);
      expect(processRef(other.process.pid ?? 0)).not.toBeNull();
      other.process.kill();
      await other.exit;
    });

    it('and its port is another program’s now: does not tell that one the password', async () => {
      for (const authentication of [3, 5, 0]) {
        const heard: Buffer[] = [];
        const impostor = createServer((socket) => {
          socket.on('error', () => {});
          socket.on('data', (chunk) => {
            heard.push(chunk);
            // AuthenticationCleartextPassword, …MD5Password, …Ok
            const answer = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, authentication]);
            const salted = Buffer.from([0x52, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4]);
            socket.write(authentication === 5 ? salted : answer);
          });
        });
        await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
        const { port } = impostor.address() as AddressInfo;
        leavePidFile(process.pid, port);
        const server = await start();
        expect(new URL(server.url).port).not.toBe(String(port));
        expect(heard).toHaveLength(1); // the start-up message, with user and database
        expect(heard[0]?.toString('latin1')).not.toContain(record().adminPassword);
        await server.stop();
        await new Promise((resolve) => impostor.close(resolve));
      }
    });
  });

  it('says what is wrong when the password is not the cluster’s', async () => {
    const first = await start();
    await first.stop();
    writeFileSync(join(dataDir, 'postgres.json'), JSON.stringify({ ...record(), adminPassword: 'other' }));
    await expect(start()).rejects.toThrow('does not take the password in postgres.json');
    expect(started.filter(isRunning)).toEqual([]);
  });

  it('says what is wrong when the cluster is gone', async () => {
    const first = await start();
    await first.stop();
    rmSync(record().directory, { recursive: true });
    await expect(start()).rejects.toThrow('is gone: put it back, or remove postgres.json');
  });

  it('says what is wrong when the server does not start', async () => {
    const first = await start();
    await first.stop();
    writeFileSync(join(record().directory, 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/does not start: .*no_such_setting/s);
  });

  it('refuses a data folder that everyone can write to', async () => {
    chmodSync(dataDir, 0o777);
    await expect(start()).rejects.toThrow('can be written by everyone');
  });

  // .ci/tally.mjs knows by this title what an ordinary user cannot run.
  (me.uid === 0 ? describe : describe.skip)('as root', () => {
    it('puts the cluster where its account can go when the data folder is closed, and says so', async () => {
      chmodSync(dataDir, 0o700);
      const inside = join(dataDir, 'project', '.gadwall');
      const said: string[] = [];
      const server = await start({ dataDir: inside, log: (message) => said.push(message) });
      const { directory } = record(inside);
      expect(dirname(directory)).toBe('/var/lib/gadwall');
      expect(said).toEqual([expect.stringContaining(`its data is in ${directory}`)]);
      expect(await ask(server.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
      await server.stop();
      rmSync(directory, { recursive: true });
    });

    it('runs as the owner of the cluster’s files, whoever that was when they were made', async () => {
      const first = await start();
      await first.stop();
      for (const file of [record().directory, ...readdirSync(record().directory, { recursive: true })]) {
        lchownSync(resolve(record().directory, String(file)), 65534, 65534);
      }
      const second = await start();
      expect(statSync(`/proc/${second.ref.pid}`).uid).toBe(65534);
    });

    it('refuses a data folder of another user’s', async () => {
      const foreign = newFolder({ uid: 65534, gid: 65534 });
      await expect(start({ dataDir: foreign })).rejects.toThrow('belongs to another user (uid 65534)');
    });
  });

  const user = me.uid === 0 ? ordinaryUser() : me;
  (user ? it : it.skip)('works the same for an ordinary user', async () => {
    const folder = newFolder(user ?? me);
    const other = await startElsewhere({ dataDir: folder }, user ?? me);
    const { ref, url } = other.said as { ref: ProcessRef; url: string };
    started.push(ref);
    expect(await ask(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    if (process.platform === 'linux') expect(statSync(`/proc/${ref.pid}`).uid).toBe(user?.uid);
    other.process.kill('SIGKILL');
    await other.exit;
    const again = await startElsewhere({ dataDir: folder }, user ?? me);
    expect((again.said as { ref: ProcessRef }).ref).toEqual(ref);
    again.process.kill('SIGKILL');
    await again.exit;
  });
});
