import { databaseConfig, openDatabase } from '@gadwall/database';
import type { Pool } from 'pg';

/** Runs a command on the control-plane database: a running server's, or one that is started for it and stopped again. */
export async function withDatabase(use: (pool: Pool) => Promise<void>): Promise<void> {
  const log = (message: string) => void process.stderr.write(`${message}\n`);
  const database = await openDatabase({ ...databaseConfig(process.env), guest: true, log });
  // A server that was started for this command does not outlive it when it is interrupted.
  const interrupted = () => void database.stopServer().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await use(database.pool);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await database.close();
  }
}
