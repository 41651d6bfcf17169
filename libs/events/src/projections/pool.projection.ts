import type { Projection } from '../projection';
import { touch } from '../touch';
import { renewStaleKeysOf } from './membership-key';
import { columns, typedProjection } from './typed-projection';

/** Pools of tenants; deleting one takes its grants along. */
export const poolProjection: Projection = typedProjection('pool', ['pool'], {
  'pool.created': {
    touches: ({ stream, data }) => [
      touch('needs', 'tenant', stream),
      touch('needs', 'database', data.databaseId),
      touch('changes', 'pool', data.poolId),
      touch('fills', 'pool names', stream),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO pool
           (id, tenant, tenant_db_id, name, size, disabled, idle_timeout_sec, max_concurrent_per_node,
            statement_timeout_ms, max_rows, setup_version, created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::int[], $6::bool[], $7::int[], $8::int[],
                              $9::int[], $10::bigint[], $11::int[], $12::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.poolId,
          stream,
          data.databaseId,
          data.name,
          data.size,
          data.disabled,
          data.idleTimeoutSec,
          data.maxConcurrentPerNode,
          data.statementTimeoutMs,
          data.maxRows,
          data.setupVersion,
          at.toISOString(),
        ]),
      ),
  },
  'pool.scaled': {
    touches: ({ data }) => [touch('needs', 'pool', data.poolId), touch('changes', 'pool size', data.poolId)],
    apply: (db, events) =>
      db.query(
        `UPDATE pool SET size = e.size, stopped = false FROM unnest($1::text[], $2::uuid[], $3::int[]) AS e(tenant, id, size)
         WHERE pool.tenant = e.tenant AND pool.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.poolId, data.size]),
      ),
  },
  'pool.stopped': {
    touches: ({ data }) => [touch('needs', 'pool', data.poolId), touch('changes', 'pool size', data.poolId)],
    apply: (db, events) =>
      db.query(
        `UPDATE pool SET stopped = true FROM unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE pool.tenant = e.tenant AND pool.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.poolId]),
      ),
  },
  'pool.disabled': {
    touches: ({ data }) => [touch('needs', 'pool', data.poolId), touch('changes', 'pool disabled', data.poolId)],
    apply: (db, events) =>
      db.query(
        `UPDATE pool SET disabled = true FROM unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE pool.tenant = e.tenant AND pool.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.poolId]),
      ),
  },
  'pool.enabled': {
    touches: ({ data }) => [touch('needs', 'pool', data.poolId), touch('changes', 'pool disabled', data.poolId)],
    apply: (db, events) =>
      db.query(
        `UPDATE pool SET disabled = false FROM unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE pool.tenant = e.tenant AND pool.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.poolId]),
      ),
  },
  'pool.deleted': {
    touches: ({ stream, data }) => [
      touch('changes', 'pool', data.poolId),
      touch('frees', 'pool names', stream),
      touch('changes', 'memberships', stream),
    ],
    apply: async (db, events, staleKeys) => {
      const values = columns(events, ({ stream, data }) => [stream, data.poolId]);
      const holders = `SELECT user_id FROM pool_permission AS h JOIN unnest($1::text[], $2::uuid[]) AS e(tenant, id)
                       ON h.tenant = e.tenant AND h.pool_id = e.id WHERE user_id IS NOT NULL`;
      await renewStaleKeysOf(db, staleKeys, holders, values);
      await db.query(
        `DELETE FROM pool USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE pool.tenant = e.tenant AND pool.id = e.id`,
        values,
      );
    },
  },
});
