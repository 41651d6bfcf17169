import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded, type EmbeddedServer } from '../../libs/database/src/embedded/server';
import { migrate } from '../../libs/database/src/migrate';

declare global {
  var gadwallTestServer: EmbeddedServer | undefined;
}

/** One PostgreSQL for the whole test run: see `freshDatabase`. */
export default async function startPostgres(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gadwall-test-'));
  chmodSync(dataDir, 0o711); // the server's account passes through when we are root
  const server = await startEmbedded({ dataDir, disposable: true, onServer: ({ pid }) => guard(pid, dataDir) });
  await migrate(server.url);
  globalThis.gadwallTestServer = server;
  process.env.GADWALL_TEST_URL = server.url;
  process.env.GADWALL_TEST_ADMIN_URL = server.adminUrl;
}

/** A process that ends the server and removes its data when this one has ended, be it killed. */
function guard(pid: number, dataDir: string): void {
  const code = `process.stdin.resume().on('end', () => {
    try { process.kill(${pid}, 'SIGQUIT'); } catch {}
    setTimeout(() => require('fs').rmSync(${JSON.stringify(dataDir)}, { recursive: true, force: true }), 500);
  });`;
  const child = spawn(process.execPath, ['-e', code], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  (child.stdin as typeof child.stdin & { unref(): void }).unref();
}
