import 'reflect-metadata';
import { openDatabase } from '@gadwall/database';
import { createManager } from './app';
import { ConfigError, type ManagerConfig, readConfig } from './config';
import { Watchdog } from './supervisor';

/** Starts the manager: its watchdog, its database, then the API and the nodes. */
async function main(config: ManagerConfig): Promise<void> {
  const say = (message: string) => void process.stderr.write(`gadwall: ${message}\n`);
  const watchdog = new Watchdog(say);
  const database = await openDatabase({
    url: config.databaseUrl ?? undefined,
    dataDir: config.dataDir,
    onServer: (server) => watchdog.watch('postgres', server),
    log: say,
  });
  // Nodes are stopped by the application; after the database nothing is left for the watchdog to end.
  const close = async () => {
    await database.close();
    await watchdog.stop();
  };
  const app = await createManager(config, { pool: database.pool, close }, watchdog);
  await app.listen(config.port, config.host);
  say(`serving at ${await app.getUrl()}`);
}

Promise.resolve()
  .then(() => main(readConfig(process.env)))
  .catch((error: unknown) => {
    // A bad setting is the operator's to mend: its name says more than a stack.
    const text = error instanceof ConfigError ? error.message : error instanceof Error ? (error.stack ?? '') : '';
    process.stderr.write(`gadwall did not start: ${text}\n`);
    process.exit(1);
  });
