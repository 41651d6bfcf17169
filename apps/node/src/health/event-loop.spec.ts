import { setTimeout as delay } from 'node:timers/promises';
import { EventLoop } from './event-loop';

test('what holds the thread shows in the window that it fell into, and in no other', async () => {
  const loop = new EventLoop(300);
  expect(loop.delay).toBeNull();
  await delay(20);
  for (const end = performance.now() + 150; performance.now() < end;);
  await delay(310);
  expect(loop.delay).toMatchObject({ windowMs: 300 });
  expect(loop.delay?.max).toBeGreaterThan(100);
  expect(loop.delay?.p50).toBeLessThan(100);
  await delay(320);
  expect(loop.delay?.max).toBeLessThan(100);
  loop.stop();
});
