import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(__dirname, '../../dist/apps/node/src/main.js');

/** A built node in a process of its own that is expected to end by itself. */
export async function runNode(
  env: Record<string, string>,
  limitMs = 20_000,
): Promise<{ code: number | null; said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-node-'));
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, GADWALL_NODE_TEMP_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (said += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  rmSync(folder, { recursive: true, force: true });
  return { code, said };
}
