import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';

/** One folder of `prisma/migrations`. */
interface Migration {
  name: string;
  sql: string;
}

/** A row of Prisma's own table of migrations. */
interface MigrationRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/** The database cannot be brought to what this build needs; the message says why and what to do. */
export class MigrationError extends Error {
  readonly code = 'migration_failed';
}

/** The key that Prisma's own schema engine locks, so that its tools and a starting manager exclude each other. */
const ADVISORY_LOCK = 72707369;

/** NULLS NOT DISTINCT indexes came with PostgreSQL 15. */
const OLDEST_SERVER = 150000;

const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

/**
 * Applies the migrations that the database lacks, as `prisma migrate deploy` does: same folder, table, checksums and lock.
 * Each is one transaction with its own record, so a crash leaves none half done. Of several managers that start at once, one
 * applies and the others wait for it.
 *
 * @param folder default: `prisma/migrations` of this installation
 * @returns the names of those applied now
 * @throws MigrationError if one fails, was edited after it was applied, failed earlier under another tool, or is unknown to
 *   this build; the database is then as it was
 */
export async function migrate(url: string, folder = migrationsFolder()): Promise<string[]> {
  const client = new Client({ connectionString: url, application_name: 'gadwall migrate' });
  client.on('error', () => {}); // a broken connection fails the statement under way, which is where it is reported
  await client.connect();
  try {
    await requireServer(client);
    await client.query('SET statement_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await client.query(MIGRATIONS_TABLE);
    const { rows } = await client.query<MigrationRow>(
      `SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    );
    const pending = pendingMigrations(readMigrations(folder), rows);
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  } finally {
    await client.end(); // ends the session, and its lock
  }
}

/** `prisma/migrations` of this installation, whether it runs from sources or from `dist`. */
export function migrationsFolder(): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, 'prisma', 'migrations');
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) throw new MigrationError(`no prisma/migrations above ${__dirname}`);
  }
}

async function requireServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  if (Number(rows[0]?.server_version_num) < OLDEST_SERVER) throw new MigrationError('PostgreSQL 15 or newer is needed');
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'migration.sql')))
    .map((entry) => ({ name: entry.name, sql: readFileSync(join(folder, entry.name, 'migration.sql'), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function pendingMigrations(migrations: Migration[], rows: MigrationRow[]): Migration[] {
  const known = new Set(migrations.map((migration) => migration.name));
  for (const row of rows) {
    const name = row.migration_name;
    if (!row.finished_at) {
      throw new MigrationError(
        `migration ${name} failed earlier${row.logs ? ` (${row.logs.trim()})` : ''}: repair the database, then mark it with ` +
          `\`prisma migrate resolve --rolled-back ${name}\` or by setting rolled_back_at in _prisma_migrations`,
      );
    }
    if (!known.has(name)) {
      throw new MigrationError(`the database has migration ${name}, which this version does not know: run a newer one`);
    }
  }
  const applied = new Map(rows.map((row) => [row.migration_name, row.checksum]));
  return migrations.filter((migration) => {
    const checksum = applied.get(migration.name);
    if (checksum !== undefined && !checksums(migration.sql).includes(checksum)) {
      throw new MigrationError(`migration ${migration.name} was edited after it was applied: restore its file`);
    }
    return checksum === undefined;
  });
}

/** The checksum of the text as it is first, then with the other line ends that a checkout may give it. */
function checksums(sql: string): string[] {
  const lf = sql.replaceAll('\r\n', '\n');
  return [sql, lf, lf.replaceAll('\n', '\r\n')].map((text) => createHash('sha256').update(text).digest('hex'));
}

async function apply(client: Client, migration: Migration): Promise<void> {
  const record = (columns: string, values: string, ...parameters: string[]) =>
    client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, ${columns}) VALUES ($1, $2, $3, ${values})`,
      [randomUUID(), checksums(migration.sql)[0], migration.name, ...parameters],
    );
  try {
    await client.query('BEGIN');
    await client.query(migration.sql);
    await record('finished_at, applied_steps_count', 'clock_timestamp(), 1');
    await client.query('COMMIT');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await client.query('ROLLBACK').then(
      () => record('rolled_back_at, logs', 'clock_timestamp(), $4', reason),
      () => undefined, // no connection, no record: the reason below is what counts
    );
    throw new MigrationError(`migration ${migration.name} failed and was rolled back: ${reason}`, { cause: error });
  }
}
