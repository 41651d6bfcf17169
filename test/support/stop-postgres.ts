import { rmSync } from 'node:fs';

/** Stops what `startPostgres` started. */
export default async function stopPostgres(): Promise<void> {
  await globalThis.gadwallTestServer?.stop();
  if (globalThis.gadwallTestFolder) rmSync(globalThis.gadwallTestFolder, { recursive: true });
}
