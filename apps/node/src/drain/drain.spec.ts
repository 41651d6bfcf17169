import { setTimeout as delay } from 'node:timers/promises';
import type { NodeSession } from '@gadwall/engine';
import type { DomainError } from '@gadwall/rbac';
import { Drain } from './drain';

const session = (transaction: object | null) => ({ transaction }) as NodeSession;
const told = { leave: 0 };
const interrupted: string[] = [];
let inTransaction = false;

const drain = (limitMs: number) =>
  new Drain(
    { inTransaction: () => inTransaction, interrupt: (reason: DomainError) => void interrupted.push(reason.code) },
    () => Promise.resolve(told.leave++),
    limitMs,
  );
beforeEach(() => {
  inTransaction = false;
  interrupted.length = 0;
  told.leave = 0;
});

/** Whether a promise has settled after a few turns. */
async function settled(promise: Promise<void>, ms = 100): Promise<boolean> {
  return Promise.race([promise.then(() => true), delay(ms).then(() => false)]);
}

test('a node that has nothing under way ends at once, and says that it leaves', async () => {
  expect(await settled(drain(10_000).run())).toBe(true);
  expect(told.leave).toBe(1);
});

test('a draining node takes nothing new, and waits for what runs', async () => {
  const draining = drain(10_000);
  const leave = draining.enter(null);
  const ended = draining.run();
  expect(() => draining.enter(null)).toThrow('takes nothing new');
  expect(() => draining.enter(session(null))).toThrow('the session is gone');
  expect(await settled(ended)).toBe(false);
  leave();
  leave();
  expect(await settled(ended)).toBe(true);
  expect(interrupted).toEqual([]);
});

test('a transaction that is open may be brought to its end', async () => {
  const draining = drain(10_000);
  inTransaction = true;
  const ended = draining.run();
  const commit = draining.enter(session({}));
  expect(await settled(ended)).toBe(false);
  inTransaction = false;
  commit();
  expect(await settled(ended)).toBe(true);
});

test('at the limit what still runs is interrupted', async () => {
  const draining = drain(50);
  draining.enter(null);
  expect(await settled(draining.run(), 2_000)).toBe(true);
  expect(interrupted).toEqual(['pool_unavailable']);
});

test('a manager that does not answer delays the end by the limit at most', async () => {
  const deaf = new Drain(
    { inTransaction: () => false, interrupt: () => undefined },
    () => new Promise(() => undefined),
    50,
  );
  expect(await settled(deaf.run(), 1_000)).toBe(true);
});
