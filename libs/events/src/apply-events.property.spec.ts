import fc from 'fast-check';
import { POLICY_EVENTS, type EventType } from '@gadwall/rbac';
import { seeded } from '../../../bench/chance';
import { PolicyHistory } from '../../../bench/policy-history';
import { freshDatabase } from '../../../test/support/fresh-database';
import { EventCatalogue } from './catalogue';
import { EventStore } from './event-store';
import { POLICY_PROJECTIONS } from './projections';
import { rebuild } from './rebuild';
import type { NewEvent } from './event';

const catalogue = new EventCatalogue(POLICY_EVENTS);
const TYPES = Object.keys(POLICY_EVENTS) as EventType[];

/** Few things, so that events meet: names come back, edges are made and unmade, what is deleted was just used. */
const SHAPE = {
  tenants: { $system: 1, acme: 6, globex: 2 },
  names: 4,
  types: {
    ...(Object.fromEntries(TYPES.map((type) => [type, 4])) as Record<EventType, number>),
    'tenant.deleted': 2,
    'user.created': 8,
    'user-role.added': 16,
    'user-group.added': 12,
    'pool-permission.granted': 12,
    'permission.granted': 12,
  },
};

describe('events that are applied together', () => {
  it('make, byte for byte, the tables that they make one after the other', async () => {
    const property = fc.asyncProperty(
      fc.integer(),
      fc.integer({ min: 1, max: 140 }),
      fc.integer({ min: 2, max: 60 }),
      async (seed, length, batch) => {
        const history = new PolicyHistory(seeded(seed), SHAPE);
        const events = Array.from({ length }, () => history.next());
        const database = await freshDatabase();
        try {
          await appendEach(new EventStore(database.pool, POLICY_PROJECTIONS, { catalogue }), events);
          for (const size of [batch, length]) {
            const outcome = await rebuild(database.pool, POLICY_PROJECTIONS, { catalogue, batch: size });
            expect(outcome).toMatchObject({ events: length, differences: [] });
          }
        } finally {
          await database.drop();
        }
      },
    );
    await fc.assert(property, { numRuns: 20 });
  }, 120_000);

  it('come from histories in which every type happens', () => {
    const history = new PolicyHistory(seeded(1), SHAPE);
    const seen = new Set(Array.from({ length: 20_000 }, () => history.next().type));
    expect([...seen].sort()).toEqual([...TYPES].sort());
  });
});

/** A mutation for each. */
async function appendEach(store: EventStore, events: readonly NewEvent[]): Promise<void> {
  const context = { actor: { kind: 'system', id: null }, requestId: 'spec' } as const;
  for (const event of events) {
    const { tenant } = event.data;
    const streams = [event.stream, ...(typeof tenant === 'string' ? [tenant] : [])];
    await store.mutate(context, streams, () => Promise.resolve({ events: [event], result: null }));
  }
}
