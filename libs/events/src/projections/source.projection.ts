import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Federated sources of databases. */
export const sourceProjection: Projection = typedProjection('federated-source', ['federated_source'], {
  'federated-source.created': {
    touches: ({ stream, data }) => [
      touch('needs', 'tenant', stream),
      touch('needs', 'database', data.databaseId),
      touch('changes', 'federated source', data.sourceId),
      touch('fills', 'federated sources', data.databaseId),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO federated_source (id, tenant, tenant_db_id, alias, type, path, description, created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
                              $8::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.sourceId,
          stream,
          data.databaseId,
          data.alias,
          data.sourceType,
          data.path,
          data.description,
          at.toISOString(),
        ]),
      ),
  },
  'federated-source.deleted': {
    touches: 'alone',
    apply: (db, events) =>
      db.query(
        `DELETE FROM federated_source USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE federated_source.tenant = e.tenant AND federated_source.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.sourceId]),
      ),
  },
});
