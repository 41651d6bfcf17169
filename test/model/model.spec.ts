import { randomInt } from 'node:crypto';
import { BREAKS } from './breaks';
import { REAL } from './protocol';
import { runSchedules } from './schedule';

/** A tenth of the long run (`npm run soak`). */
const SCHEDULES = 3000;
const LONG = Number(process.env.GADWALL_SOAK_SCHEDULES ?? SCHEDULES);
/** Other schedules at each run; a run is had again with the seed that it prints. */
const FROM = Number(process.env.GADWALL_MODEL_SEED ?? randomInt(1_000_000_000));
const PATIENCE_MS = 100 * LONG;

test(
  'the protocol lets no stale statement through',
  async () => {
    const { effective, released, stale } = await runSchedules(REAL, { from: FROM, count: LONG });
    process.stdout.write(
      `${LONG} schedules from GADWALL_MODEL_SEED=${FROM}: ${effective} mutations effective, ${released} statements, ${stale.length} stale\n`,
    );
    expect(stale).toEqual([]);
    // A model in which nothing happens proves nothing.
    expect(effective).toBeGreaterThan(LONG);
    expect(released).toBeGreaterThan(LONG);
  },
  PATIENCE_MS,
);

describe('a rule that is broken is caught:', () => {
  test.each(Object.keys(BREAKS))(
    '%s',
    async (name) => {
      const broken = { ...REAL, ...BREAKS[name] };
      const { stale } = await runSchedules(broken, { count: SCHEDULES, stopAtFirst: true });
      process.stdout.write(`${name}: seed ${stale[0]?.seed ?? 'none'}\n`);
      expect(stale).not.toEqual([]);
    },
    PATIENCE_MS,
  );
});
