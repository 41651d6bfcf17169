// The long run of what `npm test` runs a part of: the model of the protocol, revokes under fire, faults, random statements.
//   node test/soak.mjs [paths]
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const paths = process.argv.slice(2);
const ALL = ['test/model', 'test/consistency', 'test/random'];
const LONG = {
  GADWALL_SOAK: '1',
  GADWALL_SOAK_REVOKES: '2000',
  GADWALL_SOAK_SCHEDULES: '30000',
  GADWALL_SOAK_STATEMENTS: '20000',
  GADWALL_SOAK_MUTANTS: '200000',
  GADWALL_SOAK_DISGUISES: '100',
  GADWALL_SOAK_GOVERNED: '5000',
  GADWALL_SOAK_TWINS: '2000',
};
const { status } = spawnSync(
  process.execPath,
  [join(here, 'run.mjs'), '--runInBand', ...(paths.length > 0 ? paths : ALL)],
  { stdio: 'inherit', env: { ...process.env, ...LONG } },
);
process.exit(status ?? 1);
