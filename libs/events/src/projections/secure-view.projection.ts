import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Secure views, and what each stands for. */
export const secureViewProjection: Projection = typedProjection('secure-view', ['secure_view'], {
  'secure-view.created': {
    touches: ({ stream, data }) => [
      touch('needs', 'tenant', stream),
      touch('changes', 'secure view', data.viewId),
      touch('fills', 'secure views', stream),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO secure_view
           (id, tenant, catalog_name, schema_name, view_name, body, column_names, bases, created_at)
         SELECT id, tenant, catalog_name, schema_name, view_name, body, column_names::jsonb, bases::jsonb, created_at
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                     $9::timestamptz[])
           AS e(id, tenant, catalog_name, schema_name, view_name, body, column_names, bases, created_at)`,
        columns(events, ({ stream, data, at }) => [
          data.viewId,
          stream,
          data.catalog,
          data.schema,
          data.name,
          data.body,
          JSON.stringify(data.columns),
          JSON.stringify(data.bases),
          at.toISOString(),
        ]),
      ),
  },
  'secure-view.changed': {
    touches: ({ data }) => [touch('changes', 'secure view', data.viewId)],
    apply: (db, events) =>
      db.query(
        `UPDATE secure_view SET body = e.body, column_names = e.column_names::jsonb, bases = e.bases::jsonb
         FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[])
           AS e(tenant, id, body, column_names, bases)
         WHERE secure_view.tenant = e.tenant AND secure_view.id = e.id`,
        columns(events, ({ stream, data }) => [
          stream,
          data.viewId,
          data.body,
          JSON.stringify(data.columns),
          JSON.stringify(data.bases),
        ]),
      ),
  },
  'secure-view.dropped': {
    touches: ({ stream, data }) => [
      touch('changes', 'secure view', data.viewId),
      touch('frees', 'secure views', stream),
    ],
    apply: (db, events) =>
      db.query(
        `DELETE FROM secure_view USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE secure_view.tenant = e.tenant AND secure_view.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.viewId]),
      ),
  },
});
