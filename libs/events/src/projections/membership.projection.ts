import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** The roles and groups of users. */
export const membershipProjection: Projection = typedProjection('membership', ['user_role', 'user_group'], {
  'user-role.added': {
    touches: ({ stream, data }) => [
      touch('needs', 'memberships', stream),
      touch('needs', 'user', data.userId),
      touch('needs', 'role', data.roleId),
      touch('changes', 'user-role', data.userId, data.roleId),
    ],
    apply: async (db, events, staleKeys) => {
      await db.query(
        'INSERT INTO user_role (tenant, user_id, role_id) SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[])',
        columns(events, ({ stream, data }) => [stream, data.userId, data.roleId]),
      );
      for (const { data } of events) staleKeys.add(data.userId);
    },
  },
  'user-role.removed': {
    touches: ({ stream, data }) => [
      touch('needs', 'memberships', stream),
      touch('needs', 'user', data.userId),
      touch('changes', 'user-role', data.userId, data.roleId),
    ],
    apply: async (db, events, staleKeys) => {
      await db.query(
        `DELETE FROM user_role USING unnest($1::text[], $2::uuid[], $3::uuid[]) AS e(tenant, user_id, role_id)
         WHERE user_role.tenant = e.tenant AND user_role.user_id = e.user_id AND user_role.role_id = e.role_id`,
        columns(events, ({ stream, data }) => [stream, data.userId, data.roleId]),
      );
      for (const { data } of events) staleKeys.add(data.userId);
    },
  },
  'user-group.added': {
    touches: ({ stream, data }) => [
      touch('needs', 'memberships', stream),
      touch('needs', 'user', data.userId),
      touch('needs', 'group', data.groupId),
      touch('changes', 'user-group', data.userId, data.groupId),
    ],
    apply: async (db, events, staleKeys) => {
      await db.query(
        'INSERT INTO user_group (tenant, user_id, group_id) SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[])',
        columns(events, ({ stream, data }) => [stream, data.userId, data.groupId]),
      );
      for (const { data } of events) staleKeys.add(data.userId);
    },
  },
  'user-group.removed': {
    touches: ({ stream, data }) => [
      touch('needs', 'memberships', stream),
      touch('needs', 'user', data.userId),
      touch('changes', 'user-group', data.userId, data.groupId),
    ],
    apply: async (db, events, staleKeys) => {
      await db.query(
        `DELETE FROM user_group USING unnest($1::text[], $2::uuid[], $3::uuid[]) AS e(tenant, user_id, group_id)
         WHERE user_group.tenant = e.tenant AND user_group.user_id = e.user_id AND user_group.group_id = e.group_id`,
        columns(events, ({ stream, data }) => [stream, data.userId, data.groupId]),
      );
      for (const { data } of events) staleKeys.add(data.userId);
    },
  },
});
