import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freshDatabase, type FreshDatabase } from '../../../test/support/fresh-database';

const ROOT = join(__dirname, '../../..');
const SCHEMA = join(ROOT, 'prisma/schema.prisma');

describe('prisma/schema.prisma', () => {
  const missing = async (schema: string) => {
    const script = join(ROOT, 'test/support/schema-diff.mjs');
    return (await promisify(execFile)('node', [script, process.env.GADWALL_TEST_ADMIN_URL ?? '', schema])).stdout;
  };

  it('says the same as the migrations', async () => {
    expect(await missing(SCHEMA)).toBe('');
  });

  it('would not pass with a column or an index more', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gadwall-schema-'));
    const changed = join(folder, 'schema.prisma');
    writeFileSync(
      changed,
      readFileSync(SCHEMA, 'utf8').replace('model Role {', 'model Role {\n extra Int?\n @@index([description])\n'),
    );
    const sql = await missing(changed);
    expect(sql).toContain('ADD COLUMN     "extra" INTEGER');
    expect(sql).toContain('CREATE INDEX "role_description_idx"');
    await rm(folder, { recursive: true });
  });
});

describe('what the migrations add to it', () => {
  let database: FreshDatabase;
  const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const run = (sql: string) => database.pool.query(sql);

  beforeAll(async () => {
    database = await freshDatabase();
    for (const tenant of ['acme', 'globex']) {
      await run(`INSERT INTO tenant (id, display_name, created_at) VALUES ('${tenant}', '${tenant}', now())`);
    }
    const users = [`'${id(1)}', 'acme'`, `'${id(2)}', 'globex'`, `'${id(3)}', NULL`];
    for (const user of users) {
      await run(`INSERT INTO app_user (id, tenant, created_at, membership_key) VALUES (${user}, now(), '')`);
    }
    await run(`INSERT INTO role (id, tenant, name, created_at) VALUES ('${id(4)}', 'acme', 'Analyst', now())`);
    await run(`INSERT INTO app_group (id, tenant, name, created_at) VALUES ('${id(5)}', 'acme', 'team', now())`);
  });
  afterAll(() => database.drop());

  it.each([
    ['a role of a foreign tenant for a user', `INSERT INTO user_role VALUES ('acme', '${id(2)}', '${id(4)}')`, '23503'],
    ['the same, seen from the user', `INSERT INTO user_role VALUES ('globex', '${id(2)}', '${id(4)}')`, '23503'],
    ['a role for a superuser', `INSERT INTO user_role VALUES ('acme', '${id(3)}', '${id(4)}')`, '23503'],
    ['a foreign group', `INSERT INTO user_group VALUES ('globex', '${id(2)}', '${id(5)}')`, '23503'],
    [
      'a name that differs in case only',
      `INSERT INTO role (id, tenant, name, created_at) VALUES ('${id(9)}', 'acme', 'ANALYST', now())`,
      '23505',
    ],
    [
      'a pool grant to nobody',
      `INSERT INTO pool_permission (id, tenant, granted_at) VALUES ('${id(9)}', 'acme', now())`,
      '23514',
    ],
    [
      'a pool grant to two',
      `INSERT INTO pool_permission (id, tenant, user_id, group_id, granted_at) VALUES ('${id(9)}', 'acme', '${id(1)}', '${id(5)}', now())`,
      '23514',
    ],
    [
      'a pool grant to a foreign user',
      `INSERT INTO pool_permission (id, tenant, user_id, granted_at) VALUES ('${id(9)}', 'acme', '${id(2)}', now())`,
      '23503',
    ],
    [
      'a tenant named like a stream of ours',
      `INSERT INTO tenant (id, display_name, created_at) VALUES ('$system', '', now())`,
      '23514',
    ],
    [
      'a verb that is none',
      `INSERT INTO role_permission (id, tenant, role_id, catalog_name, schema_name, table_name, verb, granted_at)
       VALUES ('${id(9)}', 'acme', '${id(4)}', '*', '*', '*', 'SELECT', now())`,
      '23514',
    ],
  ])('refuses %s', async (_, sql, code) => {
    await expect(run(sql)).rejects.toMatchObject({ code });
  });

  it('takes the same grant of all pools once', async () => {
    const grant = (n: number) =>
      run(
        `INSERT INTO pool_permission (id, tenant, user_id, granted_at) VALUES ('${id(n)}', 'acme', '${id(1)}', now())`,
      );
    await grant(20);
    await expect(grant(21)).rejects.toMatchObject({ code: '23505' });
  });

  it('takes a username once in a tenant and once among superusers, as long as it is current', async () => {
    const profile = (n: number, version: number, tenant: string | null, current = true) =>
      database.pool.query(
        'INSERT INTO user_profile (user_id, version, tenant, username, current) VALUES ($1, $2, $3, $4, $5)',
        [id(n), version, tenant, 'ann', current],
      );
    await profile(1, 1, 'acme');
    await profile(2, 1, 'globex');
    await profile(3, 1, null);
    await profile(4, 1, 'acme', false);
    await expect(profile(5, 1, 'acme')).rejects.toMatchObject({ code: '23505' });
    await expect(profile(6, 1, null)).rejects.toMatchObject({ code: '23505' });
    await expect(profile(1, 2, 'initech')).rejects.toMatchObject({ code: '23505' });
  });

  it('lets derived tables refer to derived tables only, and side tables to none', async () => {
    const { rows } = await run(
      `SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint WHERE contype = 'f'`,
    );
    const side = ['user_profile', 'user_credential', 'session', 'audit', 'node_setup'];
    expect(rows.filter(({ from, to }) => side.includes(from) || side.includes(to))).toEqual([]);
    expect(rows.length).toBeGreaterThan(10);
  });
});
