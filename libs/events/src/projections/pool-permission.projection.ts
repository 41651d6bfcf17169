import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Pool grants of users and groups. */
export const poolPermissionProjection: Projection = typedProjection('pool-permission', ['pool_permission'], {
  'pool-permission.granted': {
    touches: ({ stream, data: { grantId, poolId, userId, groupId } }) => [
      touch('needs', 'tenant', stream),
      touch('needs', 'memberships', stream),
      ...(poolId === null ? [] : [touch('needs', 'pool', poolId)]),
      ...(userId === null ? [] : [touch('needs', 'user', userId)]),
      ...(groupId === null ? [] : [touch('needs', 'group', groupId)]),
      touch('changes', 'grant', grantId),
      touch('fills', 'grants', stream),
    ],
    apply: async (db, events, staleKeys) => {
      await db.query(
        `INSERT INTO pool_permission (id, tenant, pool_id, user_id, group_id, granted_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.grantId,
          stream,
          data.poolId,
          data.userId,
          data.groupId,
          at.toISOString(),
        ]),
      );
      for (const { data } of events) if (data.userId !== null) staleKeys.add(data.userId);
    },
  },
  'pool-permission.revoked': {
    touches: ({ stream, data }) => [
      touch('needs', 'memberships', stream),
      touch('changes', 'grant', data.grantId),
      touch('frees', 'grants', stream),
    ],
    apply: async (db, events, staleKeys) => {
      const { rows } = await db.query<{ user_id: string | null }>(
        `DELETE FROM pool_permission USING unnest($1::text[], $2::uuid[]) AS e(tenant, id)
         WHERE pool_permission.tenant = e.tenant AND pool_permission.id = e.id RETURNING user_id`,
        columns(events, ({ stream, data }) => [stream, data.grantId]),
      );
      for (const { user_id: holder } of rows) if (holder !== null) staleKeys.add(holder);
    },
  },
});
