import { databaseConfig, openDatabase } from '@gadwall/database';
import type { Pool } from 'pg';

/** Runs a command on the control-plane database: a running server's, or one that is started for it and stopped again. */
export async function withDatabase(use: (pool: Pool) => Promise<void>): Promise<void> {
  const log = (message: string) => void process.stderr.write(`${message}\n`);
  const database = await openDatabase({ ...databaseConfig(process.env), guest: true, log });
  try {
    await use(database.pool);
  } finally {
    await database.close();
  }
}
