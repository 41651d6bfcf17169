import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Macros that superusers have admitted. */
export const macroProjection: Projection = typedProjection('macro', ['admitted_macro'], {
  'macro.admitted': {
    touches: ({ stream, data }) => [
      touch('needs', 'tenant', stream),
      touch('changes', 'macro', data.macroId),
      touch('fills', 'macros', stream),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO admitted_macro (id, tenant, catalog_name, schema_name, macro_name, admitted_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.macroId,
          stream,
          data.catalog,
          data.schema,
          data.name,
          at.toISOString(),
        ]),
      ),
  },
  'macro.withdrawn': {
    touches: ({ stream, data }) => [touch('changes', 'macro', data.macroId), touch('frees', 'macros', stream)],
    apply: (db, events) =>
      db.query(
        `DELETE FROM admitted_macro USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE admitted_macro.tenant = e.tenant AND admitted_macro.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.macroId]),
      ),
  },
});
