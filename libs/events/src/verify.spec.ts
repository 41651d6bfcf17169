import { Client } from 'pg';
import { freshDatabase, type FreshDatabase } from '../../../test/support/fresh-database';
import { EventStore } from './event-store';
import { EVENT_COLUMNS, hashOfRow, type EventRow } from './event-row';
import { verify } from './verify';
import type { MutationContext, NewEvent } from './event';

const BY_SYSTEM: MutationContext = { actor: { kind: 'system', id: null }, requestId: 'spec' };

describe('verify', () => {
  let database: FreshDatabase;

  const append = (...streams: string[]) => {
    const events: NewEvent[] = streams.map((stream) => ({ stream, type: 'noted', schema: 1, data: { by: 'a' } }));
    return new EventStore(database.pool, []).mutate(BY_SYSTEM, [...new Set(['$system', ...streams])], () =>
      Promise.resolve({ events, result: null }),
    );
  };
  /** As one who owns the server: past the triggers that keep the log append-only. */
  const tamper = async (...statements: string[]) => {
    const client = new Client({ connectionString: database.adminUrl });
    await client.connect();
    await client.query('SET session_replication_role = replica');
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  /** Gives an event other data and the hash that goes with it. */
  const forge = async (stream: string, version: number) => {
    const { rows } = await database.pool.query<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE tenant = $1 AND version = $2`,
      [stream, version],
    );
    const forged = { ...(rows[0] as EventRow), data: '{"by":"b"}' };
    const hash = hashOfRow(forged);
    await tamper(
      `UPDATE event SET data = '${forged.data}', hash = '${hash}' WHERE tenant = '${stream}' AND version = ${version}`,
    );
    return hash;
  };

  beforeEach(async () => {
    database = await freshDatabase();
    await append('$system', 'acme', 'acme', 'acme', 'acme', 'globex', 'globex');
  });
  afterEach(() => database.drop());

  it('finds nothing in a sound log, however it is read', async () => {
    const heads = await new EventStore(database.pool, []).heads();
    for (const batch of [1, 2, 4, 1000]) {
      expect(await verify(database.pool, { batch, known: heads })).toEqual({ problems: [], events: 7, heads });
    }
  });

  const at3 = `WHERE tenant = 'acme' AND version = 3`;
  it.each([
    ['edited data', [`UPDATE event SET data = '{"by":"b"}' ${at3}`], 3, 'edited'],
    ['respelled data', [`UPDATE event SET data = '{"by": "a"}' ${at3}`], 3, 'edited'],
    [
      'data that is no JSON',
      ['ALTER TABLE event DROP CONSTRAINT event_data_check', `UPDATE event SET data = '' ${at3}`],
      3,
      'edited',
    ],
    ['an edited actor', [`UPDATE event SET actor = 'me' ${at3}`], 3, 'edited'],
    ['an edited time', [`UPDATE event SET at = at + interval '1 ms' ${at3}`], 3, 'edited'],
    ['an edited id', [`UPDATE event SET id = gen_random_uuid() ${at3}`], 3, 'edited'],
    ['an edited hash', [`UPDATE event SET hash = repeat('a', 64) ${at3}`], 3, 'edited'],
    ['an event taken out', [`DELETE FROM event ${at3}`], 3, 'missing'],
    ['the first events taken out', [`DELETE FROM event WHERE tenant = 'acme' AND version < 3`], 1, 'missing'],
    ['all events taken out', [`DELETE FROM event WHERE tenant = 'acme'`], 1, 'missing'],
    ['a cut tail', [`DELETE FROM event WHERE tenant = 'acme' AND version > 2`], 3, 'missing'],
    [
      'an event taken out, the rest moved up',
      [`DELETE FROM event ${at3}`, `UPDATE event SET version = 3 WHERE tenant = 'acme' AND version = 4`],
      3,
      'order',
    ],
    [
      'two events swapped',
      [
        `UPDATE event SET version = 9 ${at3}`,
        `UPDATE event SET version = 3 WHERE tenant = 'acme' AND version = 4`,
        `UPDATE event SET version = 4 WHERE tenant = 'acme' AND version = 9`,
      ],
      3,
      'order',
    ],
    [
      'positions swapped',
      [
        `UPDATE event SET position = 1000 ${at3}`,
        `UPDATE event SET position = position + 2000 WHERE tenant = 'globex'`,
      ],
      4,
      'order',
    ],
    ['a head set back', [`UPDATE stream SET version = 3 WHERE tenant = 'acme'`], 4, 'unexpected'],
    ['a head taken away', [`DELETE FROM stream WHERE tenant = 'acme'`], 1, 'unexpected'],
    [
      'another hash at the head',
      [`UPDATE stream SET head_hash = repeat('0', 64) WHERE tenant = 'acme'`],
      4,
      'replaced',
    ],
  ])('names the first bad event: %s', async (_, statements, version, problem) => {
    await tamper(...statements);
    expect((await verify(database.pool)).problems).toEqual([{ stream: 'acme', version, problem }]);
  });

  it.each([
    [3, 'in the middle'],
    [4, 'at the end'],
  ])('finds a forged event with its own hash (version %i, %s)', async (version) => {
    await forge('acme', version);
    expect((await verify(database.pool)).problems).toEqual([{ stream: 'acme', version, problem: 'replaced' }]);
  });

  it('names the first bad event of each stream', async () => {
    await tamper(`UPDATE event SET request_id = 'x' WHERE tenant IN ('acme', 'globex') AND version > 1`);
    expect((await verify(database.pool)).problems).toEqual([
      { stream: 'acme', version: 2, problem: 'edited' },
      { stream: 'globex', version: 2, problem: 'edited' },
    ]);
  });

  it('needs a head kept elsewhere to find what was changed together with the head', async () => {
    const known = await new EventStore(database.pool, []).heads();
    await append('globex');
    expect((await verify(database.pool, { known })).problems).toEqual([]);

    await tamper(
      `DELETE FROM event WHERE tenant = 'acme' AND version = 4`,
      `UPDATE stream SET version = 3, head_hash = (SELECT hash FROM event ${at3}) WHERE tenant = 'acme'`,
    );
    const forgedHash = await forge('globex', 3);
    await tamper(`UPDATE stream SET head_hash = '${forgedHash}' WHERE tenant = 'globex'`);
    expect((await verify(database.pool)).problems).toEqual([]);
    expect((await verify(database.pool, { known })).problems).toEqual([
      { stream: 'acme', version: 4, problem: 'missing' },
    ]);
  });

  it('finds a whole stream gone that is known from elsewhere', async () => {
    await tamper(`DELETE FROM event WHERE tenant = 'acme'`, `DELETE FROM stream WHERE tenant = 'acme'`);
    expect((await verify(database.pool)).problems).toEqual([]);
    const known = { acme: { version: 4, hash: 'a'.repeat(64) } };
    expect((await verify(database.pool, { known })).problems).toEqual([
      { stream: 'acme', version: 1, problem: 'missing' },
    ]);
  });
});
