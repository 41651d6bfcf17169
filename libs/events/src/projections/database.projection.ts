import type { Projection } from '../projection';
import { typedProjection } from './typed-projection';

/** Databases of tenants. */
export const databaseProjection: Projection = typedProjection('database', ['tenant_db'], {
  'database.created': (db, { stream, data, at }) =>
    db.query(
      `INSERT INTO tenant_db
         (id, tenant, name, kind, default_database, default_schema, data_path, read_only, setup_version, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        data.databaseId,
        stream,
        data.name,
        data.kind,
        data.defaultDatabase,
        data.defaultSchema,
        data.dataPath,
        data.readOnly,
        data.setupVersion,
        at,
      ],
    ),
  'database.updated': (db, { stream, data }) =>
    db.query(
      `UPDATE tenant_db SET default_database = $3, default_schema = $4, setup_version = $5 WHERE tenant = $1 AND id = $2`,
      [stream, data.databaseId, data.defaultDatabase, data.defaultSchema, data.setupVersion],
    ),
  'database.deleted': (db, { stream, data }) =>
    db.query('DELETE FROM tenant_db WHERE tenant = $1 AND id = $2', [stream, data.databaseId]),
});
