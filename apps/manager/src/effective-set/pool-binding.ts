import type { Queryable } from '@gadwall/events';

/** A pool with the database that it is bound to, as a door needs them. */
export interface PoolBinding {
  tenant: string;
  tenantDisabled: boolean;
  poolId: string;
  pool: string;
  poolDisabled: boolean;
  stopped: boolean;
  size: number;
  idleTimeoutSec: number | null;
  maxConcurrentPerNode: number | null;
  statementTimeoutMs: number | null;
  maxRows: number | null;
  databaseId: string;
  database: string;
  databaseKind: string;
  /** The catalog name on the node, and the schema that bare names are in. */
  defaultDatabase: string;
  defaultSchema: string;
  dataPath: string | null;
  readOnly: boolean;
}

const BINDING = `SELECT p.tenant, t.disabled AS "tenantDisabled", p.id AS "poolId", p.name AS pool,
    p.disabled AS "poolDisabled", p.stopped, p.size, p.idle_timeout_sec AS "idleTimeoutSec",
    p.max_concurrent_per_node AS "maxConcurrentPerNode", p.statement_timeout_ms AS "statementTimeoutMs",
    p.max_rows::float8 AS "maxRows", d.id AS "databaseId", d.name AS database, d.kind AS "databaseKind",
    d.default_database AS "defaultDatabase", d.default_schema AS "defaultSchema", d.data_path AS "dataPath",
    d.read_only AS "readOnly"
  FROM pool p JOIN tenant t ON t.id = p.tenant JOIN tenant_db d ON d.tenant = p.tenant AND d.id = p.tenant_db_id`;

/** All pools with their databases, of one tenant or of all. */
export async function readBindings(db: Queryable, tenant: string | null): Promise<PoolBinding[]> {
  const { rows } = await db.query<PoolBinding>(
    `${BINDING} WHERE $1::text IS NULL OR p.tenant = $1 ORDER BY p.tenant COLLATE "C", p.name COLLATE "C"`,
    [tenant],
  );
  return rows;
}
