import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { compile } from '../../../test/support/compiled';
import { freshDatabase, type FreshDatabase } from '../../../test/support/fresh-database';
import { EventCatalogue } from './catalogue';
import { EventStore, type EventStoreOptions } from './event-store';
import { GENESIS_HASH, type MutationContext, type NewEvent } from './event';
import type { Projection } from './projection';

const BY_SYSTEM: MutationContext = { actor: { kind: 'system', id: null }, requestId: 'spec' };

const noted = (stream: string, data: Record<string, unknown> = {}): NewEvent => ({
  stream,
  type: 'noted',
  schema: 1,
  data,
});

describe('EventStore', () => {
  let database: FreshDatabase;
  let store: EventStore;

  const append = (to: EventStore, events: NewEvent[], streams = [...new Set(events.map((event) => event.stream))]) =>
    to.mutate(BY_SYSTEM, streams, () => Promise.resolve({ events, result: null }));
  const open = (projections: Projection[] = [], options: EventStoreOptions = {}) =>
    new EventStore(database.pool, projections, options);

  beforeEach(async () => {
    database = await freshDatabase();
    store = open();
    await append(store, [noted('$system', { makes: 'acme' }), noted('acme')], ['acme', '$system']);
  });
  afterEach(() => database.drop());

  it('appends with versions from 1, chained by hash, and gives them back as they are read later', async () => {
    const { events, versions, result } = await store.mutate(
      { actor: { kind: 'user', id: 'u1' }, requestId: 'r1', causationId: 'c1' },
      ['acme'],
      ({ versions: before }) =>
        Promise.resolve({
          events: [noted('acme', { b: 1, a: [null, 'é\u0000'] }), noted('acme')],
          result: before.acme,
        }),
    );
    expect(result).toBe(1);
    expect(versions).toEqual({ acme: 3 });
    expect(events.map((event) => event.version)).toEqual([2, 3]);
    expect(events[0]).toMatchObject({ actor: 'u1', actorKind: 'user', requestId: 'r1', causationId: 'c1' });
    expect(events[1]?.prevHash).toBe(events[0]?.hash);
    const stored = await store.readStream('acme', 0);
    expect(stored.slice(1)).toEqual(events);
    expect(stored[0]?.prevHash).toBe(GENESIS_HASH);
    expect(await store.readStream('acme', 1, 1)).toEqual(events.slice(0, 1));
    expect((await store.heads()).acme).toEqual({ version: 3, hash: events[1]?.hash });
  });

  it('gives projections and listeners what a replay will read, not what the decider held', async () => {
    const seen: unknown[] = [];
    const projection: Projection = {
      name: 'seen',
      tables: [],
      apply: (_db, events) => Promise.resolve(void seen.push(...events.map(({ data }) => data))),
    };
    await append(open([projection]), [noted('acme', { at: new Date(0), gone: undefined, n: -0 })]);
    expect(seen).toEqual([{ at: '1970-01-01T00:00:00.000Z', n: 0 }]);
  });

  it.each([
    ['NaN', { n: NaN }],
    ['a function', (() => 1) as unknown as Record<string, unknown>],
    ['an array', [1] as unknown as Record<string, unknown>],
    ['half a character', { s: '\ud800' }],
  ])('refuses %s as data', async (_, data) => {
    await expect(append(store, [noted('acme', data)])).rejects.toThrow();
    expect((await store.heads()).acme?.version).toBe(1);
  });

  it('keeps a stream gap-free and in commit order while many append to it', async () => {
    const told: number[] = [];
    store.onCommitted((events) => told.push(...events.map((event) => event.version)));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        store
          .mutate(BY_SYSTEM, ['acme'], async ({ db, versions }) => {
            await db.query('SELECT pg_sleep(0.001)');
            if (i % 5 === 0) throw new Error('no');
            return { events: [noted('acme', { after: versions.acme }), noted('acme')], result: null };
          })
          .catch(() => {}),
      ),
    );
    const stored = await store.readStream('acme', 0);
    const numbers = Array.from({ length: 65 }, (_, i) => i + 1);
    expect(stored.map((event) => event.version)).toEqual(numbers);
    expect(told).toEqual(numbers.slice(1));
    for (const event of stored) if ('after' in event.data) expect(event.data.after).toBe(event.version - 1);
  });

  it('does not make one stream wait for another', async () => {
    await append(store, [noted('globex')], ['$system', 'globex']);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = store.mutate(BY_SYSTEM, ['acme'], async () => {
      await held;
      return { events: [noted('acme')], result: null };
    });
    await append(store, [noted('globex')]);
    release();
    await slow;
    expect(await store.heads()).toMatchObject({ acme: { version: 2 }, globex: { version: 2 } });
  });

  it('locks several streams in one order, whatever order they are named in', async () => {
    await append(store, [noted('globex')], ['$system', 'globex']);
    const orders = [
      ['acme', 'globex', '$system'],
      ['$system', 'globex', 'acme'],
      ['globex', 'acme'],
    ];
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => append(store, [noted('acme'), noted('globex')], orders[i % 3])),
    );
    expect(await store.heads()).toMatchObject({ acme: { version: 31 }, globex: { version: 31 } });
  });

  it('locks every tenant there is for a change that concerns all', async () => {
    await append(store, [noted('globex')], ['$system', 'globex']);
    const { versions } = await store.mutate(BY_SYSTEM, 'all', ({ versions: before }) =>
      Promise.resolve({ events: Object.keys(before).map((stream) => noted(stream)), result: null }),
    );
    expect(versions).toEqual({ $system: 2, acme: 2, globex: 2 });
  });

  it('makes a stream only under the lock of $system', async () => {
    await expect(append(store, [noted('initech')])).rejects.toThrow('initech is not locked or does not exist');
    const { versions } = await store.mutate(BY_SYSTEM, ['initech'], ({ versions: before }) =>
      Promise.resolve({ events: [], result: before }),
    );
    expect(versions).toEqual({});
    await append(store, [], ['$system', 'initech']);
    expect(await store.heads()).not.toHaveProperty('initech');
    await append(store, [noted('$system')], ['$system', 'initech']);
    expect((await store.heads()).initech).toEqual({ version: 0, hash: GENESIS_HASH });
    await append(store, [noted('initech')]);
    expect((await store.heads()).initech?.version).toBe(1);
  });

  it('refuses an event of a stream that was not locked', async () => {
    await expect(append(store, [noted('acme')], ['$system'])).rejects.toThrow('acme is not locked');
  });

  it('checks expected versions', async () => {
    const change = (expected: Record<string, number>) =>
      store.mutate(BY_SYSTEM, ['acme'], () => Promise.resolve({ events: [noted('acme')], result: null }), { expected });
    await expect(change({ acme: 0 })).rejects.toMatchObject({
      code: 'version_conflict',
      stream: 'acme',
      expected: 0,
      actual: 1,
    });
    await change({ acme: 1 });
    await expect(change({ acme: 1 })).rejects.toMatchObject({ actual: 2 });
  });

  it('rolls back and rethrows what decide throws', async () => {
    const refusal = new Error('refused by the domain');
    await expect(
      store.mutate(BY_SYSTEM, ['acme'], async ({ db }) => {
        await db.query(`INSERT INTO tenant (id, display_name, created_at) VALUES ('t', 't', now())`);
        throw refusal;
      }),
    ).rejects.toBe(refusal);
    expect((await database.pool.query('SELECT FROM tenant')).rowCount).toBe(0);
  });

  it('rolls back when a projection fails', async () => {
    const failing: Projection = { name: 'failing', tables: [], apply: () => Promise.reject(new Error('no row')) };
    await expect(append(open([failing]), [noted('acme')])).rejects.toThrow('no row');
    expect(await store.readStream('acme', 1)).toEqual([]);
    expect((await store.heads()).acme?.version).toBe(1);
  });

  it('does not take a transaction for committed whose failed statement was swallowed', async () => {
    await expect(
      store.mutate(BY_SYSTEM, ['acme'], async ({ db }) => {
        await db.query('SELECT 1/0').catch(() => {});
        return { events: [], result: 'fine' };
      }),
    ).rejects.toThrow('rolled back');
  });

  it('takes no statement on a transaction that has ended', async () => {
    let kept: (() => Promise<unknown>) | undefined;
    await store.mutate(BY_SYSTEM, ['acme'], ({ db }) => {
      kept = async () => db.query('SELECT 1');
      return Promise.resolve({ events: [], result: null });
    });
    await expect(kept?.()).rejects.toThrow('has ended');
  });

  it('brings the policy version of each locked tenant to its stream, also of one made again', async () => {
    const tenants: Projection = {
      name: 'tenants',
      tables: ['tenant'],
      async apply(db, events) {
        for (const { type, data, at } of events) {
          if (type === 'tenant.made')
            await db.query('INSERT INTO tenant (id, display_name, created_at) VALUES ($1, $1, $2)', [data.id, at]);
          if (type === 'tenant.gone') await db.query('DELETE FROM tenant WHERE id = $1', [data.id]);
        }
      },
    };
    const withTenants = open([tenants]);
    const event = (type: string): NewEvent => ({ stream: '$system', type, schema: 1, data: { id: 'acme' } });
    const version = async () =>
      (await database.pool.query<{ policy_version: string }>('SELECT policy_version FROM tenant')).rows[0]
        ?.policy_version;
    await append(withTenants, [event('tenant.made')], ['$system', 'acme']);
    expect(await version()).toBe('1');
    await append(withTenants, [noted('acme'), noted('acme')]);
    expect(await version()).toBe('3');
    await append(withTenants, [event('tenant.gone')]);
    expect(await version()).toBeUndefined();
    await append(withTenants, [event('tenant.made'), noted('acme')], ['$system', 'acme']);
    expect(await version()).toBe('4');
  });

  it('shows a listener nothing that is not committed, and nothing twice', async () => {
    const visible: Promise<number>[] = [];
    const stop = store.onCommitted((events) => {
      // On a connection of its own: what it sees is committed.
      visible.push(
        database.pool
          .query('SELECT FROM event WHERE id = ANY($1)', [events.map((event) => event.id)])
          .then((found) => events.length - (found.rowCount ?? 0)),
      );
    });
    await Promise.all(Array.from({ length: 10 }, () => append(store, [noted('acme'), noted('acme')])));
    await append(store, [], ['acme']);
    stop();
    await append(store, [noted('acme')]);
    expect(await Promise.all(visible)).toEqual(Array(10).fill(0));
  });

  it('goes on when a listener throws', async () => {
    const errors: unknown[] = [];
    const told: number[] = [];
    const tolerant = open([], { onListenerError: (error) => errors.push(error) });
    tolerant.onCommitted(() => {
      throw new Error('listener');
    });
    tolerant.onCommitted((_, versions) => told.push(versions.acme ?? 0));
    await append(tolerant, [noted('acme')]);
    expect(errors).toHaveLength(1);
    expect(told).toEqual([2]);
  });

  it('leaves nothing half applied when its connection is killed', async () => {
    const broken = store.mutate(BY_SYSTEM, ['acme'], async ({ db }) => {
      const { rows } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await db.query(`INSERT INTO tenant (id, display_name, created_at) VALUES ('t', 't', now())`);
      const other = new Client({ connectionString: database.adminUrl });
      await other.connect();
      await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await other.end();
      await sleep(50);
      return { events: [noted('acme')], result: null };
    });
    await expect(broken).rejects.toThrow();
    expect((await database.pool.query('SELECT FROM tenant')).rowCount).toBe(0);
    await append(store, [noted('acme')]); // the lock is free, the pool has sound connections
    expect((await store.heads()).acme?.version).toBe(2);
  });

  it('leaves nothing half applied when its process is killed', async () => {
    const compiled = compile('libs/events/src', 'libs/rbac/src', 'libs/rewriters/src');
    const program = await compiled.run(
      `const { EventStore } = compiled('libs/events/src');
       const { Pool } = require('${require.resolve('pg')}');
       const slow = { name: 'slow', tables: [], async apply(db) {
         await db.query("INSERT INTO tenant (id, display_name, created_at) VALUES ('t', 't', now())");
         console.log('1');
         await new Promise(() => setInterval(() => {}, 1000));
       } };
       await new EventStore(new Pool({ connectionString: ${JSON.stringify(database.url)} }), [slow]).mutate(
         { actor: { kind: 'system', id: null }, requestId: 'r' }, ['acme'],
         async () => ({ events: [{ stream: 'acme', type: 'noted', schema: 1, data: {} }], result: null }));`,
    );
    const next = append(store, [noted('acme', { next: true })]); // waits for the lock that the program holds
    await sleep(100);
    program.process.kill('SIGKILL');
    expect((await next).events[0]?.version).toBe(2);
    expect((await database.pool.query('SELECT FROM tenant')).rowCount).toBe(0);
    compiled.remove();
  });

  it('appends newest schemas of known types only, and reads old ones in the newest', async () => {
    const old = open([], { catalogue: new EventCatalogue({ noted: { schema: 1 } }) });
    const now = open([], {
      catalogue: new EventCatalogue({
        noted: { schema: 2, upcasters: { 1: (data) => ({ ...data, loud: false }) } },
      }),
    });
    await append(old, [noted('acme', { text: 'hi' })]);
    await expect(append(now, [noted('acme')])).rejects.toMatchObject({ code: 'unknown_event' });
    await append(now, [{ ...noted('acme', { loud: true }), schema: 2 }]);
    const events = await now.readStream('acme', 1);
    expect(events.map(({ schema, data }) => ({ schema, data }))).toEqual([
      { schema: 2, data: { text: 'hi', loud: false } },
      { schema: 2, data: { loud: true } },
    ]);
    await expect(old.readStream('acme', 1)).rejects.toMatchObject({ code: 'unknown_event', schema: 2 });
    const foreign = open([], { catalogue: new EventCatalogue({}) });
    await expect(foreign.readStream('acme', 0)).rejects.toMatchObject({ type: 'noted' });
  });

  it.each([
    ['changed', `UPDATE event SET data = '{}'`],
    ['deleted', 'DELETE FROM event'],
    ['emptied', 'TRUNCATE event'],
    ['lowered', `UPDATE stream SET version = 0`],
    ['removed', `DELETE FROM stream`],
  ])('has a log that cannot be %s by its own connections', async (_, statement) => {
    await expect(database.pool.query(statement)).rejects.toMatchObject({ code: '23001' });
  });
});
