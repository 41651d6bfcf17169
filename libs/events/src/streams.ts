import { GENESIS_HASH, SYSTEM_STREAM } from './event';
import type { Queryable } from './queryable';

/** Where a stream stands: its last event's version and hash. */
export interface Head {
  version: number;
  hash: string;
}

/** Streams that a mutation locks; `all` = `$system` and every tenant that there is or was. */
export type StreamSelection = string[] | 'all';

interface StreamRow {
  tenant: string;
  version: string;
  head_hash: string;
}

const SELECT = 'SELECT tenant, version, head_hash FROM stream';

function headsOf(rows: StreamRow[]): [string, Head][] {
  return rows.map((row) => [row.tenant, { version: Number(row.version), hash: row.head_hash }]);
}

/** The heads of all streams. */
export async function readHeads(db: Queryable): Promise<Map<string, Head>> {
  return new Map(headsOf((await db.query<StreamRow>(`${SELECT} ORDER BY tenant COLLATE "C"`)).rows));
}

/**
 * Locks the rows of the streams until the transaction ends and returns their heads: `$system` first, then tenants by id, so
 * that two mutations never wait for each other. A stream without a row counts as empty while `$system` is locked (only then
 * may one be made), and has no head otherwise.
 */
export async function lockStreams(db: Queryable, streams: StreamSelection): Promise<Map<string, Head>> {
  const heads = new Map<string, Head>();
  const all = streams === 'all';
  if (all || streams.includes(SYSTEM_STREAM)) {
    // By itself: what a mutation that we waited for has added is seen by the next statement only.
    for (const [stream, head] of headsOf(
      (await db.query<StreamRow>(`${SELECT} WHERE tenant = $1 FOR NO KEY UPDATE`, [SYSTEM_STREAM])).rows,
    )) {
      heads.set(stream, head);
    }
  }
  const rest = all ? null : streams.filter((stream) => stream !== SYSTEM_STREAM);
  if (rest?.length === 0) return heads;
  const { rows } = await db.query<StreamRow>(
    `${SELECT} WHERE tenant <> $1 AND ($2::text[] IS NULL OR tenant = ANY($2)) ORDER BY tenant COLLATE "C" FOR NO KEY UPDATE`,
    [SYSTEM_STREAM, rest],
  );
  for (const [stream, head] of headsOf(rows)) heads.set(stream, head);
  if (heads.has(SYSTEM_STREAM)) {
    for (const stream of rest ?? []) {
      if (!heads.has(stream)) heads.set(stream, { version: 0, hash: GENESIS_HASH });
    }
  }
  return heads;
}

/** Makes sure that streams have a row; for a transaction that has locked `$system`, or found the rows. */
export async function createStreams(db: Queryable, streams: string[]): Promise<void> {
  await db.query('INSERT INTO stream (tenant) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [streams]);
}

/** Stores the heads of locked streams, and brings the policy versions of their tenants to them. */
export async function moveHeads(db: Queryable, heads: Map<string, Head>): Promise<void> {
  await db.query(
    `WITH head AS (SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) AS h(tenant, version, hash)),
       moved AS (UPDATE stream SET version = head.version, head_hash = head.hash
         FROM head WHERE stream.tenant = head.tenant AND stream.version <> head.version)
     UPDATE tenant SET policy_version = head.version
     FROM head WHERE tenant.id = head.tenant AND tenant.policy_version <> head.version`,
    [[...heads.keys()], [...heads.values()].map((head) => head.version), [...heads.values()].map((head) => head.hash)],
  );
}
