import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Row policies of roles; a role that is deleted takes them along. */
export const rowPolicyProjection: Projection = typedProjection('row-policy', ['role_row_policy'], {
  'row-policy.created': {
    touches: ({ data }) => [
      touch('needs', 'role', data.roleId),
      touch('changes', 'row policy', data.policyId),
      touch('fills', 'row policies', data.roleId),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO role_row_policy
           (id, tenant, role_id, catalog_name, schema_name, table_name, predicate_sql, canonical_sql, created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                              $9::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.policyId,
          stream,
          data.roleId,
          data.catalog,
          data.schema,
          data.table,
          data.predicateSql,
          data.canonical,
          at.toISOString(),
        ]),
      ),
  },
  'row-policy.changed': {
    touches: ({ data }) => [touch('changes', 'row policy', data.policyId)],
    apply: (db, events) =>
      db.query(
        `UPDATE role_row_policy SET predicate_sql = e.predicate_sql, canonical_sql = e.canonical_sql
         FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[]) AS e(tenant, id, predicate_sql, canonical_sql)
         WHERE role_row_policy.tenant = e.tenant AND role_row_policy.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.policyId, data.predicateSql, data.canonical]),
      ),
  },
  'row-policy.deleted': {
    touches: ({ data }) => [touch('changes', 'row policy', data.policyId), touch('frees', 'row policies', data.roleId)],
    apply: (db, events) =>
      db.query(
        `DELETE FROM role_row_policy USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE role_row_policy.tenant = e.tenant AND role_row_policy.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.policyId]),
      ),
  },
});
