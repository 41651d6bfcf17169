import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type FreshDatabase } from '../../../test/support/fresh-database';
import { migrate, migrationsFolder } from './migrate';

describe('migrate', () => {
  let database: FreshDatabase;
  let folder: string;

  const write = (name: string, sql: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  };
  const run = () => migrate(database.url, folder);
  const records = async () =>
    (
      await database.pool.query(
        `SELECT migration_name AS name, finished_at IS NOT NULL AS finished, rolled_back_at IS NOT NULL AS "rolledBack",
           applied_steps_count AS steps FROM _prisma_migrations ORDER BY started_at`,
      )
    ).rows;

  beforeEach(async () => {
    database = await freshDatabase({ empty: true });
    folder = mkdtempSync(join(tmpdir(), 'gadwall-migrations-'));
    write('1_one', 'CREATE TABLE one (n int); INSERT INTO one VALUES (1);');
    write('2_two', `CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 2; END $$;`);
    writeFileSync(join(folder, 'migration_lock.toml'), '');
  });
  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it('applies what is new, in order, and records it as Prisma does', async () => {
    expect(await run()).toEqual(['1_one', '2_two']);
    expect(await run()).toEqual([]);
    write('3_three', 'INSERT INTO one VALUES (2)');
    expect(await run()).toEqual(['3_three']);
    expect((await database.pool.query('SELECT n, two() FROM one ORDER BY 1')).rows).toEqual([
      { n: 1, two: 2 },
      { n: 2, two: 2 },
    ]);
    expect(await records()).toEqual(
      ['1_one', '2_two', '3_three'].map((name) => ({ name, finished: true, rolledBack: false, steps: 1 })),
    );
    const checksum = createHash('sha256').update('INSERT INTO one VALUES (2)').digest('hex');
    const { rows } = await database.pool.query(
      `SELECT checksum FROM _prisma_migrations WHERE migration_name = '3_three'`,
    );
    expect(rows).toEqual([{ checksum }]);
  });

  it('applies each once when several start together', async () => {
    const applied = await Promise.all([run(), run(), run(), run()]);
    expect(applied.flat()).toEqual(['1_one', '2_two']);
    expect((await database.pool.query('SELECT FROM one')).rowCount).toBe(1);
  });

  it('applies the real ones, of this installation', async () => {
    const applied = await migrate(database.url);
    expect(applied[0]).toMatch(/_init$/);
    expect(await migrate(database.url, migrationsFolder())).toEqual([]);
  });

  it('refuses to go on from an edited migration, but not from other line ends', async () => {
    await run();
    write('2_two', `CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 22; END $$;`);
    await expect(run()).rejects.toThrow('migration 2_two was edited after it was applied');
    write('3_lines', 'SELECT 1;\nSELECT 2;\n');
    write('2_two', `CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 2; END $$;`);
    await run();
    write('3_lines', 'SELECT 1;\r\nSELECT 2;\r\n');
    expect(await run()).toEqual([]);
  });

  it('leaves nothing of a migration that fails, says why, and tries it again', async () => {
    write('3_bad', 'CREATE TABLE three (n int); SELECT * FROM four;');
    await expect(run()).rejects.toMatchObject({
      code: 'migration_failed',
      message: 'migration 3_bad failed and was rolled back: relation "four" does not exist',
    });
    expect((await database.pool.query(`SELECT to_regclass('three') AS t`)).rows).toEqual([{ t: null }]);
    expect((await records())[2]).toEqual({ name: '3_bad', finished: false, rolledBack: true, steps: 0 });
    write('3_bad', 'CREATE TABLE three (n int)');
    expect(await run()).toEqual(['3_bad']);
  });

  it('refuses to start on a migration that another tool left half done', async () => {
    await run();
    await database.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('x', 'x', '3_half', 'disk full')`,
    );
    await expect(run()).rejects.toThrow(
      'migration 3_half failed earlier (disk full): repair the database, then mark it with `prisma migrate resolve',
    );
    await database.pool.query('UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL');
    expect(await run()).toEqual([]);
  });

  it('refuses a database that a newer version migrated', async () => {
    await run();
    rmSync(join(folder, '2_two'), { recursive: true });
    await expect(run()).rejects.toThrow('the database has migration 2_two, which this version does not know');
  });
});
