import { setTimeout as delay } from 'node:timers/promises';
import { EventLoop } from './event-loop';

const WINDOW_MS = 300;
let loop: EventLoop;

// Windows end when the test says so; what they are of is the real delay of this thread.
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance', 'setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask'] });
  loop = new EventLoop(WINDOW_MS);
});
afterEach(() => {
  loop.stop();
  jest.useRealTimers();
});

/** Lets the thread come by, so many times. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await delay(6);
}

function hold(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test('nothing is told of the first window before it is over', async () => {
  await turns(1);
  jest.advanceTimersByTime(WINDOW_MS - 1);
  expect(loop.delay).toBeNull();
  jest.advanceTimersByTime(1);
  expect(loop.delay).not.toBeNull();
});

test('what holds the thread shows in the window that it fell into, and in no other', async () => {
  await turns(40);
  hold(150);
  await turns(1);
  jest.advanceTimersByTime(WINDOW_MS);
  expect(loop.delay).toMatchObject({ windowMs: WINDOW_MS });
  expect(loop.delay?.max).toBeGreaterThan(140);
  expect(loop.delay?.p50).toBeLessThan(100);
  // The thread did not come by in this one: nothing is left of the one before.
  jest.advanceTimersByTime(WINDOW_MS);
  expect(loop.delay).toEqual({ windowMs: WINDOW_MS, p50: 0, p999: 0, max: 0 });
});
