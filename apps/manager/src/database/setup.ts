import type { Queryable } from '@gadwall/events';

/** What nodes run or connect to for a database or a pool. It may hold secrets, so it is in no event. */
export interface Setup {
  initSql: string | null;
  metastore: Record<string, unknown> | null;
  objectStore: Record<string, unknown> | null;
}

/** True if there is anything in it. */
export function hasSetup({ initSql, metastore, objectStore }: Setup): boolean {
  return initSql !== null || metastore !== null || objectStore !== null;
}

/** Stores one version of a setup; what is null in it is taken from the version before. */
export async function storeSetup(db: Queryable, owner: string, version: number, setup: Setup): Promise<void> {
  const json = (value: Record<string, unknown> | null): string | null =>
    value === null ? null : JSON.stringify(value);
  await db.query(
    `INSERT INTO node_setup (owner, version, init_sql, metastore, object_store)
     SELECT $1, $2, coalesce($3, old.init_sql), coalesce($4::jsonb, old.metastore), coalesce($5::jsonb, old.object_store)
     FROM (SELECT 1) AS one LEFT JOIN node_setup old ON old.owner = $1 AND old.version = $2::int - 1`,
    [owner, version, setup.initSql, json(setup.metastore), json(setup.objectStore)],
  );
}

/** The setup in force of a database or a pool; null = none. */
export async function readSetup(db: Queryable, owner: string, version: number | null): Promise<Setup | null> {
  if (version === null) return null;
  const { rows } = await db.query<Setup>(
    `SELECT init_sql AS "initSql", metastore, object_store AS "objectStore" FROM node_setup WHERE owner = $1 AND version = $2`,
    [owner, version],
  );
  return rows[0] ?? null;
}
