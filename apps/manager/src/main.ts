import 'reflect-metadata';
import { openDatabase } from '@gadwall/database';
import { createManager } from './app';
import { ConfigError, readConfig } from './config';

/** Starts the manager: its database, then the API. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const database = await openDatabase({ url: config.databaseUrl ?? undefined, dataDir: config.dataDir });
  const app = await createManager(config, database);
  await app.listen(config.port, config.host);
}

main().catch((error: unknown) => {
  // A bad setting is the operator's to mend: its name says more than a stack.
  const text = error instanceof ConfigError ? error.message : error instanceof Error ? (error.stack ?? '') : '';
  process.stderr.write(`the manager did not start: ${text}\n`);
  process.exit(1);
});
