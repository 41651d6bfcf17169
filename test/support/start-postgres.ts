import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbedded, type EmbeddedServer } from '../../libs/database/src/embedded/server';
import { migrate } from '../../libs/database/src/migrate';

declare global {
  var gadwallTestServer: EmbeddedServer | undefined;
  var gadwallTestFolder: string | undefined;
}

/** One PostgreSQL for the whole test run: see `freshDatabase`. */
export default async function startPostgres(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gadwall-test-'));
  chmodSync(dataDir, 0o711); // the server's account passes through when we are root
  const server = await startEmbedded({ dataDir });
  await migrate(server.url);
  await speedUp(server.adminUrl);
  globalThis.gadwallTestServer = server;
  globalThis.gadwallTestFolder = dataDir;
  process.env.GADWALL_TEST_URL = server.url;
  process.env.GADWALL_TEST_ADMIN_URL = server.adminUrl;
}

/** What a power cut would cost does not matter here. */
async function speedUp(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  for (const setting of ['fsync = off', 'full_page_writes = off']) await client.query(`ALTER SYSTEM SET ${setting}`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}
