import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Writes files into a folder of their own, by their paths in it. */
export function policyFiles(files: Readonly<Record<string, string>>): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-policies-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
