import type { Projection } from '../projection';
import { typedProjection } from './typed-projection';

/** Pools of tenants; deleting one takes its grants along. */
export const poolProjection: Projection = typedProjection('pool', ['pool'], {
  'pool.created': (db, { stream, data, at }) =>
    db.query(
      `INSERT INTO pool
         (id, tenant, tenant_db_id, name, size, disabled, idle_timeout_sec, max_concurrent_per_node,
          statement_timeout_ms, max_rows, setup_version, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
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
        at,
      ],
    ),
  'pool.scaled': (db, { stream, data }) =>
    db.query('UPDATE pool SET size = $3, stopped = false WHERE tenant = $1 AND id = $2', [
      stream,
      data.poolId,
      data.size,
    ]),
  'pool.stopped': (db, { stream, data }) =>
    db.query('UPDATE pool SET stopped = true WHERE tenant = $1 AND id = $2', [stream, data.poolId]),
  'pool.disabled': (db, { stream, data }) =>
    db.query('UPDATE pool SET disabled = true WHERE tenant = $1 AND id = $2', [stream, data.poolId]),
  'pool.enabled': (db, { stream, data }) =>
    db.query('UPDATE pool SET disabled = false WHERE tenant = $1 AND id = $2', [stream, data.poolId]),
  'pool.deleted': (db, { stream, data }) =>
    db.query('DELETE FROM pool WHERE tenant = $1 AND id = $2', [stream, data.poolId]),
});
