import type { Projection } from '../projection';
import { touch } from '../touch';
import { renewStaleKeysOf } from './membership-key';
import { columns, typedProjection } from './typed-projection';

/** Roles and their permissions; deleting a role takes its permissions and edges along. */
export const roleProjection: Projection = typedProjection('role', ['role', 'role_permission'], {
  'role.created': {
    touches: ({ stream, data }) => [
      touch('needs', 'tenant', stream),
      touch('changes', 'role', data.roleId),
      touch('fills', 'role names', stream),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO role (id, tenant, name, description, builtin, created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.roleId,
          stream,
          data.name,
          data.description,
          data.builtin,
          at.toISOString(),
        ]),
      ),
  },
  'role.deleted': {
    touches: ({ stream, data }) => [
      touch('changes', 'role', data.roleId),
      touch('frees', 'role names', stream),
      touch('changes', 'memberships', stream),
    ],
    apply: async (db, events, staleKeys) => {
      const values = columns(events, ({ stream, data }) => [stream, data.roleId]);
      const holders = `SELECT user_id FROM user_role AS h JOIN unnest($1::text[], $2::uuid[]) AS e(tenant, id)
                       ON h.tenant = e.tenant AND h.role_id = e.id`;
      await renewStaleKeysOf(db, staleKeys, holders, values);
      await db.query(
        `DELETE FROM role USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE role.tenant = e.tenant AND role.id = e.id`,
        values,
      );
    },
  },
  'permission.granted': {
    touches: ({ data }) => [
      touch('needs', 'role', data.roleId),
      touch('changes', 'permission', data.permissionId),
      touch('fills', 'permissions', data.roleId),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO role_permission
           (id, tenant, role_id, effect, catalog_name, schema_name, table_name, verb, granted_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                              $9::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.permissionId,
          stream,
          data.roleId,
          data.effect,
          data.catalog,
          data.schema,
          data.table,
          data.verb,
          at.toISOString(),
        ]),
      ),
  },
  'permission.revoked': {
    touches: ({ data }) => [
      touch('changes', 'permission', data.permissionId),
      touch('frees', 'permissions', data.roleId),
    ],
    apply: (db, events) =>
      db.query(
        `DELETE FROM role_permission USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE role_permission.tenant = e.tenant AND role_permission.id = e.id`,
        columns(events, ({ stream, data }) => [stream, data.permissionId]),
      ),
  },
});
