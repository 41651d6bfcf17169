import type { Projection } from '../projection';
import { touch } from '../touch';
import { renewStaleKeysOf } from './membership-key';
import { columns, typedProjection } from './typed-projection';

/** Groups and the roles bound into them; deleting a group takes its edges and pool grants along. */
export const groupProjection: Projection = typedProjection('group', ['app_group', 'group_role'], {
  'group.created': {
    touches: ({ stream, data }) => [
      touch('needs', 'tenant', stream),
      touch('changes', 'group', data.groupId),
      touch('fills', 'group names', stream),
    ],
    apply: (db, events) =>
      db.query(
        `INSERT INTO app_group (id, tenant, name, description, builtin, created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.groupId,
          stream,
          data.name,
          data.description,
          data.builtin,
          at.toISOString(),
        ]),
      ),
  },
  'group.deleted': {
    touches: ({ stream, data }) => [
      touch('changes', 'group', data.groupId),
      touch('frees', 'group names', stream),
      touch('changes', 'memberships', stream),
    ],
    apply: async (db, events, staleKeys) => {
      const values = columns(events, ({ stream, data }) => [stream, data.groupId]);
      const holders = `SELECT user_id FROM user_group AS h JOIN unnest($1::text[], $2::uuid[]) AS e(tenant, id)
                       ON h.tenant = e.tenant AND h.group_id = e.id`;
      await renewStaleKeysOf(db, staleKeys, holders, values);
      await db.query(
        `DELETE FROM app_group USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE app_group.tenant = e.tenant AND app_group.id = e.id`,
        values,
      );
    },
  },
  'group-role.added': {
    touches: ({ data }) => [
      touch('needs', 'group', data.groupId),
      touch('needs', 'role', data.roleId),
      touch('changes', 'group-role', data.groupId, data.roleId),
    ],
    apply: (db, events) =>
      db.query(
        'INSERT INTO group_role (tenant, group_id, role_id) SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[])',
        columns(events, ({ stream, data }) => [stream, data.groupId, data.roleId]),
      ),
  },
  'group-role.removed': {
    touches: ({ data }) => [touch('changes', 'group-role', data.groupId, data.roleId)],
    apply: (db, events) =>
      db.query(
        `DELETE FROM group_role USING unnest($1::text[], $2::uuid[], $3::uuid[]) AS e(tenant, group_id, role_id)
         WHERE group_role.tenant = e.tenant AND group_role.group_id = e.group_id AND group_role.role_id = e.role_id`,
        columns(events, ({ stream, data }) => [stream, data.groupId, data.roleId]),
      ),
  },
});
