import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Column policies of roles; a role that is deleted takes them along. */
export const columnPolicyProjection: Projection = typedProjection('column-policy', ['role_column_policy'], {
  'column-policy.created': {
    touches: ({ data }) => [
      touch('needs', 'role', data.roleId),
      touch('changes', 'column policy', data.policyId),
      touch('fills', 'column policies', data.roleId),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO role_column_policy
           (id, tenant, role_id, catalog_name, schema_name, table_name, column_name, action, transform_sql, canonical_sql,
            created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                              $9::text[], $10::text[], $11::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.policyId,
          stream,
          data.roleId,
          data.catalog,
          data.schema,
          data.table,
          data.column,
          data.action,
          data.transformSql,
          data.canonical,
          at.toISOString(),
        ]),
      ),
  },
  'column-policy.changed': {
    touches: ({ data }) => [touch('changes', 'column policy', data.policyId)],
    apply: (db, events) =>
      db.query(
        `UPDATE role_column_policy
         SET action = e.action, transform_sql = e.transform_sql, canonical_sql = e.canonical_sql
         FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[])
           AS e(tenant, id, action, transform_sql, canonical_sql)
         WHERE role_column_policy.tenant = e.tenant AND role_column_policy.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.policyId, data.action, data.transformSql, data.canonical]),
      ),
  },
  'column-policy.deleted': {
    touches: ({ data }) => [
      touch('changes', 'column policy', data.policyId),
      touch('frees', 'column policies', data.roleId),
    ],
    apply: (db, events) =>
      db.query(
        `DELETE FROM role_column_policy USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE role_column_policy.tenant = e.tenant AND role_column_policy.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.policyId]),
      ),
  },
});
