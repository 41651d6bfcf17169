import { Pool } from 'pg';
import { startEmbedded, type EmbeddedServer } from './embedded/server';
import { ScramClient } from './embedded/scram-client';
import { migrate } from './migrate';
import type { ProcessRef } from './process-ref';

export interface DatabaseConfig {
  /** An existing server's database. Without it an embedded server is started. */
  url?: string;
  /** Where the embedded server's data and passwords are kept. */
  dataDir: string;
  /** Most connections at a time. Default 20. */
  maxConnections?: number;
  /** Guests (the CLI) change no schema, and leave the server to a manager. */
  guest?: boolean;
  /** For tests: the embedded server waits for no disk. */
  disposable?: boolean;
  log?: (message: string) => void;
  /** Called with the embedded server's process as soon as there is one: to watch over it. */
  onServer?: (server: ProcessRef) => void;
}

/** The control-plane database, with every migration applied. */
export interface Database {
  /** Holds a password: not for logs. */
  url: string;
  pool: Pool;
  /** The embedded server; null with a server of one's own. */
  server: Pick<EmbeddedServer, 'ref' | 'adminUrl'> | null;
  /** Names of the migrations that were applied now. */
  applied: string[];
  /** Ends all connections, then the embedded server if it is this process' to stop. */
  close(): Promise<void>;
  /** For an interruption: stops that server without waiting for statements under way. */
  stopServer(): Promise<void>;
}

/** DATABASE_URL and GADWALL_DATA_DIR (default `.gadwall`); an empty variable counts as none. */
export function databaseConfig(environment: NodeJS.ProcessEnv): Pick<DatabaseConfig, 'url' | 'dataDir'> {
  return { url: environment.DATABASE_URL || undefined, dataDir: environment.GADWALL_DATA_DIR || '.gadwall' };
}

/**
 * Opens the control-plane database.
 *
 * @throws MigrationError; an error that says why the server cannot be used
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const server = config.url ? null : await startEmbedded(config);
  const url = server?.url ?? config.url ?? '';
  const pool = new Pool({
    connectionString: url,
    application_name: 'gadwall',
    max: config.maxConnections ?? 20,
    connectionTimeoutMillis: 10_000,
    // A process that was stopped in the middle of a mutation must not hold a stream's lock for ever.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    ...(server && { Client: ScramClient }),
  });
  pool.on('error', (error) => config.log?.(`an idle database connection broke: ${error.message}`));
  const stopServer = async () => server?.stop();
  const close = async () => {
    await pool.end();
    await stopServer();
  };
  try {
    const applied = config.guest ? [] : await migrate(url);
    return { url, pool, server, applied, close, stopServer };
  } catch (error) {
    await close();
    throw error;
  }
}
