import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freshDatabase } from '../../../test/support/fresh-database';
import { databaseConfig, openDatabase } from './open-database';
import { isRunning, type ProcessRef } from './process-ref';

describe('databaseConfig', () => {
  it.each([
    [{}, { url: undefined, dataDir: '.gadwall' }],
    [
      { DATABASE_URL: '', GADWALL_DATA_DIR: '' },
      { url: undefined, dataDir: '.gadwall' },
    ],
    [
      { DATABASE_URL: 'postgresql://h/d', GADWALL_DATA_DIR: '/data' },
      { url: 'postgresql://h/d', dataDir: '/data' },
    ],
  ])('reads %j', (environment, config) => {
    expect(databaseConfig(environment)).toEqual(config);
  });
});

describe('openDatabase', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'gadwall-open-'));
    chmodSync(dataDir, 0o711);
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('migrates the server’s database that it is given, and starts none', async () => {
    const own = await freshDatabase({ empty: true });
    const database = await openDatabase({ url: own.url, dataDir: join(dataDir, 'unused') });
    expect(database.server).toBeNull();
    expect(database.applied.length).toBeGreaterThan(0);
    expect((await database.pool.query('SELECT tenant FROM stream')).rows).toEqual([{ tenant: '$system' }]);
    await database.close();
    expect(existsSync(join(dataDir, 'unused'))).toBe(false);
    await own.drop();
  });

  it('starts one otherwise, migrates it, and stops it', async () => {
    const servers: ProcessRef[] = [];
    const open = () => openDatabase({ dataDir, disposable: true, onServer: (ref) => servers.push(ref) });
    const database = await open();
    expect(servers).toEqual([database.server?.ref]);
    expect((await database.pool.query('SELECT tenant FROM stream')).rowCount).toBe(1);
    await database.close();
    expect(servers.some(isRunning)).toBe(false);
    const again = await open();
    expect(again.applied).toEqual([]);
    await again.close();
  });

  it('leaves no server behind when the migrations fail', async () => {
    const servers: ProcessRef[] = [];
    const open = () => openDatabase({ dataDir, disposable: true, onServer: (ref) => servers.push(ref) });
    const database = await open();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(`UPDATE _prisma_migrations SET checksum = 'x'`);
    await client.end();
    await database.close();
    await expect(open()).rejects.toMatchObject({ code: 'migration_failed' });
    expect(servers.some(isRunning)).toBe(false);
  });

  it('ends the transaction of a process that was stopped in the middle of it', async () => {
    const database = await openDatabase({ dataDir, disposable: true });
    const { rows } = await database.pool.query('SHOW idle_in_transaction_session_timeout');
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '1min' }]);
    await database.close();
  });
});
