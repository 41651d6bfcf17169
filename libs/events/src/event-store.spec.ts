import { freshDatabase, type FreshDatabase } from '../../../test/support/fresh-database';
import { EventStore } from './event-store';
describe('EventStore', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());
  it('appends', async () => {
    const store = new EventStore(database.pool, []);
    const { events, versions } = await store.mutate(
      { actor: { kind: 'system', id: null }, requestId: 'r' },
      ['$system', 'acme'],
      async () => ({
        events: [
          { stream: '$system', type: 'x', schema: 1, data: { a: 1 } },
          { stream: 'acme', type: 'x', schema: 1, data: {} },
        ],
        result: 1,
      }),
    );
    expect(events).toHaveLength(2);
    expect(versions).toEqual({ $system: 1, acme: 1 });
    expect(await store.readStream('acme', 0)).toEqual([events[1]]);
  });
});
