import { setTimeout as delay } from 'node:timers/promises';
import { startPipeline, TestPipeline } from '../../../../test/support/pipeline';
import { SessionStore } from '.';

const ana = { userId: 'ana', tenant: 'acme', poolId: 'bi' };

let lake: TestPipeline;
let now = 0;
let store: SessionStore;
beforeEach(async () => {
  lake = await startPipeline('SELECT 1');
  now = 0;
  store = new SessionStore(lake.engine, () => now);
});
afterEach(async () => {
  store.closeAll();
  await lake.close();
});

/** Sessions are looked at every second. */
const sweep = () => delay(1_200);

test('a session belongs to one principal on one pool; to anyone else there is none', async () => {
  const { id } = await store.open(ana, 60, 600);
  expect(store.get(id, ana).id).toBe(id);
  for (const other of [{ userId: 'eva' }, { tenant: 'globex' }, { poolId: 'etl' }]) {
    expect(() => store.get(id, { ...ana, ...other })).toThrow('not found');
  }
});

test('a session that is idle for too long ends; one that is used does not', async () => {
  const idle = await store.open(ana, 60, 6_000);
  const used = await store.open(ana, 60, 6_000);
  now = 50_000;
  store.take(used.id, ana).giveBack();
  now = 70_000;
  await sweep();
  expect(() => store.get(idle.id, ana)).toThrow('not found');
  expect(store.get(used.id, ana).id).toBe(used.id);
});

test('a session ends when it is old, however much it is used', async () => {
  const { id } = await store.open(ana, 60, 120);
  now = 100_000;
  store.take(id, ana).giveBack();
  now = 121_000;
  await sweep();
  expect(() => store.get(id, ana)).toThrow('not found');
});

test('a user opens so many sessions at most, and others open theirs all the same', async () => {
  const sessions = await Promise.all(Array.from({ length: 60 }, () => store.open({ ...ana }, 60, 120)));
  const more = Array.from({ length: 50 }, () => store.open({ ...ana }, 60, 120));
  const opened = (await Promise.allSettled(more)).filter(({ status }) => status === 'fulfilled');
  expect(opened).toHaveLength(40);
  await expect(store.open(ana, 60, 120)).rejects.toThrow('too many sessions');
  expect((await store.open({ ...ana, userId: 'eva' }, 60, 120)).owner.userId).toBe('eva');
  store.close((sessions[0] as { id: string }).id, ana);
  expect((await store.open(ana, 60, 120)).owner.userId).toBe('ana');
});

test('a session runs one statement at a time', async () => {
  const { id } = await store.open(ana, 60, 120);
  const { giveBack } = store.take(id, ana);
  expect(() => store.take(id, ana)).toThrow('too many statements at once');
  giveBack();
  store.take(id, ana).giveBack();
});

test('a lost session gives its connection up when its statement has ended, and stays lost', async () => {
  const { id } = await store.open(ana, 60, 120);
  const { session, giveBack } = store.take(id, ana);
  const closed = jest.spyOn(session.connection, 'close');
  session.lost = true;
  giveBack();
  expect(closed).toHaveBeenCalledTimes(1);
  const again = store.take(id, ana);
  expect(again.session.lost).toBe(true);
  again.giveBack();
  store.close(id, ana);
  expect(closed).toHaveBeenCalledTimes(1);
});
