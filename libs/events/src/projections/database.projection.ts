import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Databases of tenants. */
export const databaseProjection: Projection = typedProjection('database', ['tenant_db'], {
  'database.created': {
    touches: ({ stream, data }) => [touch('needs', 'tenant', stream), touch('changes', 'database', data.databaseId)],
    apply: (db, events) =>
      db.query(
        `INSERT INTO tenant_db
           (id, tenant, name, kind, default_database, default_schema, data_path, read_only, setup_version, created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                              $8::bool[], $9::int[], $10::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.databaseId,
          stream,
          data.name,
          data.kind,
          data.defaultDatabase,
          data.defaultSchema,
          data.dataPath,
          data.readOnly,
          data.setupVersion,
          at.toISOString(),
        ]),
      ),
  },
  'database.updated': {
    touches: ({ data }) => [
      touch('needs', 'database', data.databaseId),
      touch('changes', 'database settings', data.databaseId),
    ],
    apply: (db, events) =>
      db.query(
        `UPDATE tenant_db
         SET default_database = e.default_database, default_schema = e.default_schema, setup_version = e.setup_version
         FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::int[])
           AS e(tenant, id, default_database, default_schema, setup_version)
         WHERE tenant_db.tenant = e.tenant AND tenant_db.id = e.id`,
        columns(events, ({ stream, data }) => [
          stream,
          data.databaseId,
          data.defaultDatabase,
          data.defaultSchema,
          data.setupVersion,
        ]),
      ),
  },
  'database.deleted': {
    touches: 'alone',
    apply: (db, events) =>
      db.query(
        `DELETE FROM tenant_db USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE tenant_db.tenant = e.tenant AND tenant_db.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.databaseId]),
      ),
  },
});
