import { eventHash } from './hash';
import type { Actor, RecordedEvent } from './event';
import type { Queryable } from './queryable';

/** A row of `event` as pg gives it (64 bit integers as text). */
export interface EventRow {
  position: string;
  tenant: string;
  version: string;
  id: string;
  type: string;
  schema: number;
  data: string;
  actor: string | null;
  actor_kind: Actor['kind'];
  request_id: string;
  causation_id: string | null;
  at: Date;
  prev_hash: string;
  hash: string;
}

/** The columns of an `EventRow`. */
export const EVENT_COLUMNS =
  'position, tenant, version, id, type, schema, data, actor, actor_kind, request_id, causation_id, at, prev_hash, hash';

/** The event that a row holds, in the schema that it was written with. */
export function recordedEvent(row: EventRow): RecordedEvent {
  return {
    position: row.position,
    stream: row.tenant,
    version: Number(row.version),
    id: row.id,
    type: row.type,
    schema: row.schema,
    data: JSON.parse(row.data) as Record<string, unknown>,
    actor: row.actor,
    actorKind: row.actor_kind,
    requestId: row.request_id,
    causationId: row.causation_id,
    at: row.at,
    prevHash: row.prev_hash,
    hash: row.hash,
  };
}

/** The hash that the row's content calls for. */
export function hashOfRow(row: EventRow): string {
  return eventHash({
    ...row,
    stream: row.tenant,
    version: Number(row.version),
    actorKind: row.actor_kind,
    requestId: row.request_id,
    causationId: row.causation_id,
    prevHash: row.prev_hash,
  });
}

/** Inserts events in the order given and returns their positions. */
export async function insertEvents(db: Queryable, events: Omit<EventRow, 'position'>[]): Promise<string[]> {
  const column = <K extends keyof Omit<EventRow, 'position'>>(name: K) => events.map((event) => event[name]);
  const { rows } = await db.query<{ position: string }>(
    `INSERT INTO event (tenant, version, id, type, schema, data, actor, actor_kind, request_id, causation_id, at, prev_hash, hash)
     SELECT e.tenant, e.version, e.id, e.type, e.schema, e.data, e.actor, e.actor_kind, e.request_id, e.causation_id, e.at,
            e.prev_hash, e.hash
     FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[],
                 $10::text[], $11::timestamptz[], $12::text[], $13::text[]) WITH ORDINALITY
       AS e(tenant, version, id, type, schema, data, actor, actor_kind, request_id, causation_id, at, prev_hash, hash, n)
     ORDER BY e.n RETURNING position`,
    [
      column('tenant'),
      column('version'),
      column('id'),
      column('type'),
      column('schema'),
      column('data'),
      column('actor'),
      column('actor_kind'),
      column('request_id'),
      column('causation_id'),
      column('at').map((at) => at.toISOString()),
      column('prev_hash'),
      column('hash'),
    ],
  );
  return rows.map((row) => row.position);
}
