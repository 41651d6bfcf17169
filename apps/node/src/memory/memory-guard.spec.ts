import { setTimeout as delay } from 'node:timers/promises';
import { memoryCeiling, MemoryGuard } from '.';

test('a node may take what its engine may, a quarter more, and something beside', () => {
  expect(memoryCeiling('2GB')).toBe(2.5e9 + 512 * 2 ** 20);
  expect(memoryCeiling('1.5 GiB')).toBe(1.875 * 2 ** 30 + 512 * 2 ** 20);
});

test('over the ceiling statements are stopped; a node whose engine does not let go ends', async () => {
  const done: string[] = [];
  let resident = 10;
  const measures = { stop: () => void done.push('stop'), end: () => void done.push('end') };
  const guard = new MemoryGuard(100, measures, () => resident);
  await delay(250);
  expect(done).toEqual([]);
  resident = 101;
  await delay(250);
  expect(done).toEqual(['stop']);
  resident = 10;
  await delay(250);
  resident = 101;
  await delay(1_900);
  expect(done).toEqual(['stop', 'stop', 'end']);
  guard.stop();
});
