import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { POLICY_EVENTS, type EventData, type EventType } from '@gadwall/rbac';
import { freshDatabase, type FreshDatabase } from '../../../test/support/fresh-database';
import { EventCatalogue } from './catalogue';
import { EventStore } from './event-store';
import { POLICY_PROJECTIONS } from './projections';
import { rebuild } from './rebuild';
import type { MutationContext, NewEvent } from './event';
import type { Projection } from './projection';

const BY_SYSTEM: MutationContext = { actor: { kind: 'system', id: null }, requestId: 'spec' };
const catalogue = new EventCatalogue(POLICY_EVENTS);

const event = <T extends EventType>(stream: string, type: T, data: EventData[T]): NewEvent => ({
  stream,
  type,
  schema: POLICY_EVENTS[type].schema,
  data: { ...data },
});

describe('rebuild', () => {
  let database: FreshDatabase;
  const [user, leaver, role, gone, group, db, pool] = Array.from({ length: 7 }, () => uuidv7()) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];

  const append = (...events: NewEvent[]) =>
    new EventStore(database.pool, POLICY_PROJECTIONS, { catalogue }).mutate(
      BY_SYSTEM,
      [
        ...new Set(
          events.flatMap(({ stream, data }) => [stream, ...(typeof data.tenant === 'string' ? [data.tenant] : [])]),
        ),
      ],
      () => Promise.resolve({ events, result: null }),
    );
  const replay = (options: Parameters<typeof rebuild>[2] = {}) =>
    rebuild(database.pool, POLICY_PROJECTIONS, { catalogue, ...options });
  const live = async () => {
    const tables: Record<string, unknown[]> = {};
    for (const table of POLICY_PROJECTIONS.flatMap((projection) => projection.tables)) {
      tables[table] = (await database.pool.query(`SELECT t::text FROM ${table} AS t ORDER BY 1`)).rows;
    }
    return tables;
  };
  const newUser = (userId: string) =>
    event('acme', 'user.created', {
      userId,
      kind: 'user',
      profileVersion: 1,
      credentialVersion: 1,
      mustChangePassword: false,
    });

  beforeEach(async () => {
    database = await freshDatabase();
    const acme = { tenant: 'acme', displayName: 'Acme', authProvider: 'db' };
    // Made, deleted and made again: cascades, and a policy version that goes on.
    await append(
      event('$system', 'tenant.created', acme),
      event('acme', 'role.created', { roleId: gone, name: 'gone', description: null, builtin: false }),
    );
    await append(event('$system', 'tenant.deleted', { tenant: 'acme' }));
    await append(event('$system', 'tenant.created', acme));
    await append(
      newUser(user),
      newUser(leaver),
      event('acme', 'role.created', { roleId: role, name: 'analyst', description: 'reads', builtin: false }),
      event('acme', 'role.created', { roleId: gone, name: 'gone', description: null, builtin: false }),
      event('acme', 'group.created', { groupId: group, name: 'team', description: null, builtin: false }),
      event('acme', 'user-role.added', { userId: user, roleId: role }),
      event('acme', 'user-role.added', { userId: user, roleId: gone }),
      event('acme', 'user-group.added', { userId: user, groupId: group }),
      event('acme', 'user-group.added', { userId: leaver, groupId: group }),
      event('acme', 'group-role.added', { groupId: group, roleId: gone }),
    );
    await append(
      event('acme', 'permission.granted', {
        permissionId: uuidv7(),
        roleId: role,
        effect: 'allow',
        catalog: '*',
        schema: '*',
        table: 't',
        verb: 'RO',
      }),
      event('acme', 'permission.granted', {
        permissionId: uuidv7(),
        roleId: gone,
        effect: 'allow',
        catalog: '*',
        schema: '*',
        table: 't',
        verb: 'RO',
      }),
      event('acme', 'database.created', {
        databaseId: db,
        name: 'd',
        kind: 'memory',
        defaultDatabase: 'd',
        defaultSchema: 'main',
        dataPath: null,
        readOnly: false,
        setupVersion: null,
      }),
      event('acme', 'pool.created', {
        poolId: pool,
        databaseId: db,
        name: 'bi',
        size: 1,
        disabled: false,
        setupVersion: null,
        idleTimeoutSec: null,
        maxConcurrentPerNode: 4,
        statementTimeoutMs: null,
        maxRows: 10,
      }),
      event('acme', 'pool-permission.granted', { grantId: uuidv7(), poolId: pool, userId: user, groupId: null }),
      event('acme', 'pool-permission.granted', { grantId: uuidv7(), poolId: null, userId: null, groupId: group }),
      event('acme', 'role.deleted', { roleId: gone }),
      event('acme', 'user.deleted', { userId: leaver }),
    );
  });
  afterEach(() => database.drop());

  it('makes of the log, byte for byte, what mutations made', async () => {
    const before = await live();
    for (const batch of [1, 7, 1000]) {
      const result = await replay({ batch });
      expect(result.differences).toEqual([]);
      expect(result.tables).toMatchObject({
        tenant: 1,
        app_user: 1,
        role: 1,
        user_role: 1,
        user_group: 1,
        group_role: 0,
      });
      expect(result.events).toBe(22);
    }
    expect(await live()).toEqual(before);
  });

  it('needs no side tables', async () => {
    await database.pool.query('TRUNCATE user_profile, user_credential, session');
    expect((await replay()).differences).toEqual([]);
  });

  it('names the rows that differ, and why, but not their values', async () => {
    await database.pool.query(
      `UPDATE role SET name = 'admin', created_at = created_at + interval '1 ms' WHERE id = $1`,
      [role],
    );
    await database.pool.query('DELETE FROM user_role');
    const extra = uuidv7();
    await database.pool.query('INSERT INTO group_role SELECT $1, $2, id FROM role', ['acme', group]);
    await database.pool.query(
      `INSERT INTO app_user (id, created_at, membership_key) SELECT $1, now(), membership_key FROM app_user LIMIT 1`,
      [extra],
    );
    const { differences, applied } = await replay();
    expect(applied).toBe(false);
    expect(differences).toEqual([
      { table: 'role', key: { id: role }, kind: 'changed', columns: ['created_at', 'name'] },
      { table: 'group_role', key: { tenant: 'acme', group_id: group, role_id: role }, kind: 'extra', columns: [] },
      { table: 'app_user', key: { id: extra }, kind: 'extra', columns: [] },
      { table: 'user_role', key: { tenant: 'acme', user_id: user, role_id: role }, kind: 'missing', columns: [] },
    ]);
  });

  it('notices a policy version that is not its stream’s', async () => {
    await database.pool.query('UPDATE tenant SET policy_version = policy_version - 1');
    expect((await replay()).differences).toEqual([
      { table: 'tenant', key: { id: 'acme' }, kind: 'changed', columns: ['policy_version'] },
    ]);
  });

  it('puts the replayed rows in the place of the live ones when asked to', async () => {
    const before = await live();
    await database.pool.query('UPDATE app_user SET enabled = NOT enabled');
    await database.pool.query('DELETE FROM role');
    expect((await replay({ apply: true })).applied).toBe(true);
    expect(await live()).toEqual(before);
    expect(await replay({ apply: true })).toMatchObject({ applied: false, differences: [] });
  });

  it('lets mutations wait while it applies, and loses none', async () => {
    await database.pool.query('DELETE FROM role');
    const name = { description: null, builtin: false };
    const [result] = await Promise.all([
      replay({ apply: true }),
      ...Array.from({ length: 10 }, (_, i) =>
        append(event('acme', 'role.created', { roleId: uuidv7(), name: `r${i}`, ...name })),
      ),
    ]);
    expect(result.applied).toBe(true);
    expect((await replay()).differences).toEqual([]);
    expect((await database.pool.query('SELECT FROM role')).rowCount).toBe(11);
  });

  it('is not misled by temporary tables of an earlier run on the same connection', async () => {
    const oneConnection = new Pool({ connectionString: database.url, max: 1 });
    oneConnection.on('error', () => {}); // the database is dropped while the server still ends it
    for (let i = 0; i < 3; i++) {
      expect((await rebuild(oneConnection, POLICY_PROJECTIONS, { catalogue })).differences).toEqual([]);
    }
    await oneConnection.end();
  });

  it('fails, and harms nothing, when a projection names the schema of the live tables', async () => {
    const rogue: Projection = {
      name: 'rogue',
      tables: [],
      apply: async (to) => void (await to.query('DELETE FROM public.role')),
    };
    const before = await live();
    await expect(rebuild(database.pool, [...POLICY_PROJECTIONS, rogue])).rejects.toMatchObject({
      cause: { code: '25006' },
    });
    await expect(rebuild(database.pool, [...POLICY_PROJECTIONS, rogue], { apply: true })).rejects.toMatchObject({
      cause: { code: '25006' },
    });
    expect(await live()).toEqual(before);
  });

  it('refuses an event that the catalogue does not know', async () => {
    await expect(replay({ catalogue: new EventCatalogue({}) })).rejects.toMatchObject({
      code: 'replay_failed',
      stream: '$system',
      version: 1,
      cause: { code: 'unknown_event' },
    });
  });

  it('names the event that fails among others of its batch', async () => {
    const unseen = new EventStore(database.pool, [], { catalogue });
    const events = [newUser(uuidv7()), newUser(user), newUser(uuidv7())];
    await unseen.mutate(BY_SYSTEM, ['acme'], () => Promise.resolve({ events, result: null }));
    const [, { version } = { version: 0 }] = (await unseen.readStream('acme', 0)).slice(-3);
    await expect(replay()).rejects.toMatchObject({
      code: 'replay_failed',
      stream: 'acme',
      version,
      type: 'user.created',
      cause: { code: '23505' },
    });
  });

  it('goes on one by one where only a group fails', async () => {
    // Tells no one what it touches wrongly: two of its events are not to be applied at once.
    const picky: Projection = {
      name: 'picky',
      tables: [],
      touches: () => [],
      apply: (_, { length }) => (length > 1 ? Promise.reject(new Error('one at a time')) : Promise.resolve()),
    };
    const seen: number[] = [];
    const onProgress = (replayed: number) => seen.push(replayed);
    const options = { catalogue, batch: 8, onProgress };
    expect((await rebuild(database.pool, [...POLICY_PROJECTIONS, picky], options)).differences).toEqual([]);
    expect(seen.slice(-3)).toEqual([8, 16, 22]);
  });

  it('refuses a derived table that refers to one which is not', async () => {
    const partial: Projection = { name: 'partial', tables: ['user_role'], apply: () => Promise.resolve() };
    await expect(rebuild(database.pool, [partial])).rejects.toThrow('derived table user_role refers to');
  });
});
