// Runs jest with what its processes need in their environment: every call of DuckDB holds a thread of libuv's pool, as on
// a node (apps/manager/src/nodes/node-processes.ts).
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js');
const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, UV_THREADPOOL_SIZE: '128' },
});
process.exit(status ?? 1);
