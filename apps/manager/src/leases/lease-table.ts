import { Inject, Injectable } from '@nestjs/common';
import type { LeaseRow, LeaseTable, Queryable, Renewal, StoreIdentity, StreamHead } from '@gadwall/events';
import { READS } from '../postgres';

/** A row with when it was last renewed, for display. */
export interface StoredLease extends LeaseRow {
  renewedAt: Date;
}

interface StoreRow {
  timeline: string;
  started_at: string;
  age_ms: number | null;
}

interface HeadsRow extends StoreRow {
  heads: StreamHead[];
}

interface LeasesRow extends StoreRow {
  leases: (Omit<StoredLease, 'renewedAt'> & { renewedAt: string })[];
}

/**
 * What the server is: its system, its timeline (the name of its WAL file says it from the moment of a failover on), its start.
 * A server that was never promoted nor restored to a point in time has lost nothing since it started.
 */
const STORE = `SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || wal.timeline AS timeline,
    pg_postmaster_start_time()::text AS started_at,
    CASE WHEN wal.timeline = '00000001'
      THEN extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8 * 1000 END AS age_ms
  FROM (SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) AS timeline) AS wal`;

/** One statement is one transaction; whatever the server's default is, it is on disk (and on synchronous standbys) after it. */
const WRITE = `WITH durable AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true))
  INSERT INTO lease (node_id, streams, known, renewed_at)
  SELECT r.node_id, ARRAY(SELECT jsonb_array_elements_text(r.streams)), r.known, now()
  FROM jsonb_to_recordset($1::jsonb) AS r(node_id text, streams jsonb, known jsonb), durable
  ORDER BY r.node_id COLLATE "C"
  ON CONFLICT (node_id) DO UPDATE SET streams = excluded.streams, known = excluded.known,
    counter = excluded.counter, renewed_at = excluded.renewed_at`;

/** The leases in PostgreSQL. Source: DESIGN section 5, rule 5. */
@Injectable()
export class PostgresLeaseTable implements LeaseTable {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async write(renewals: readonly Renewal[]): Promise<void> {
    // Two requests of one node may meet in a batch: one row, the later word.
    const rows = new Map(
      renewals.map(({ request, streams }) => [
        request.nodeId,
        { node_id: request.nodeId, streams, known: request.known },
      ]),
    );
    await this.db.query(WRITE, [JSON.stringify([...rows.values()])]);
  }

  async read(streams: readonly string[]): Promise<StoreIdentity & { heads: StreamHead[] }> {
    const { rows } = await this.db.query<HeadsRow>(
      `SELECT store.*, (SELECT coalesce(json_agg(json_build_object('stream', tenant, 'version', version, 'hash', head_hash)), '[]')
         FROM stream WHERE tenant = ANY($1)) AS heads FROM (${STORE}) AS store`,
      [streams],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('a SELECT without a condition gave no row');
    return { ...identityOf(row), heads: row.heads };
  }

  /** All leases, with what the server says of itself. */
  async leases(): Promise<StoreIdentity & { rows: StoredLease[] }> {
    const { rows } = await this.db.query<LeasesRow>(
      `SELECT store.*, (SELECT coalesce(json_agg(json_build_object('nodeId', node_id, 'streams', streams,
         'counter', counter, 'known', known, 'renewedAt', renewed_at)), '[]') FROM lease) AS leases FROM (${STORE}) AS store`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('a SELECT without a condition gave no row');
    const leases = row.leases.map(({ renewedAt, ...lease }) => ({ ...lease, renewedAt: new Date(renewedAt) }));
    return { ...identityOf(row), rows: leases };
  }

  /** Removes rows whose counter still is what it was. */
  async remove(dead: readonly { nodeId: string; counter: number }[]): Promise<void> {
    await this.db.query(
      `DELETE FROM lease USING unnest($1::text[], $2::bigint[]) AS dead(node_id, counter)
       WHERE lease.node_id = dead.node_id AND lease.counter = dead.counter`,
      [dead.map(({ nodeId }) => nodeId), dead.map(({ counter }) => counter)],
    );
  }

  /** Removes the row of a node whose process has ended. */
  async forget(nodeId: string): Promise<void> {
    await this.db.query('DELETE FROM lease WHERE node_id = $1', [nodeId]);
  }

  /** The hash of an event of the log; undefined when there is none such. */
  async hashOf(stream: string, version: number): Promise<string | undefined> {
    const { rows } = await this.db.query<{ hash: string }>(
      'SELECT hash FROM event WHERE tenant = $1 AND version = $2',
      [stream, version],
    );
    return rows[0]?.hash;
  }
}

function identityOf({ timeline, started_at, age_ms }: StoreRow): StoreIdentity {
  return { timeline, startedAt: started_at, ageMs: age_ms };
}
