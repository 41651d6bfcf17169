// The long run of what `npm test` runs a tenth of: the model of the protocol, revokes under fire, faults.
//   node test/soak.mjs [paths]
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const paths = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [join(here, 'run.mjs'), '--runInBand', ...(paths.length > 0 ? paths : ['test/model', 'test/consistency'])],
  {
    stdio: 'inherit',
    env: { ...process.env, GADWALL_SOAK: '1', GADWALL_SOAK_REVOKES: '2000', GADWALL_SOAK_SCHEDULES: '30000' },
  },
);
process.exit(status ?? 1);
