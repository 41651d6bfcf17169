import { randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';

/** A database of one spec's own. */
export interface FreshDatabase {
  /** As its owner, the way the manager connects. */
  url: string;
  /** As the server's administrator. */
  adminUrl: string;
  /** As its owner. */
  pool: Pool;
  /** Ends the pool and removes the database. */
  drop(): Promise<void>;
}

/** An empty, migrated database on the test run's server; `empty` leaves the migrations out. */
export async function freshDatabase(options: { empty?: boolean } = {}): Promise<FreshDatabase> {
  const name = `spec_${randomBytes(6).toString('hex')}`;
  const template = options.empty ? 'template0' : 'gadwall';
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} OWNER gadwall TEMPLATE ${template}`));
  const url = withDatabase(required('GADWALL_TEST_URL'), name);
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => {}); // specs break connections on purpose
  return {
    url,
    adminUrl: withDatabase(required('GADWALL_TEST_ADMIN_URL'), name),
    pool,
    async drop() {
      await pool.end();
      await asAdmin((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

async function asAdmin(use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: required('GADWALL_TEST_ADMIN_URL') });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function required(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run specs with jest, whose global set-up starts the server`);
  return value;
}
