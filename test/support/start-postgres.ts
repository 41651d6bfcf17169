import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const server = await startEmbedded({ dataDir, disposable: true });
  await migrate(server.url);
  globalThis.gadwallTestServer = server;
  globalThis.gadwallTestFolder = dataDir;
  process.env.GADWALL_TEST_URL = server.url;
  process.env.GADWALL_TEST_ADMIN_URL = server.adminUrl;
}
