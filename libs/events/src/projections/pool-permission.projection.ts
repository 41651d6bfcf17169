import type { Projection } from '../projection';
import { renewMembershipKey } from './membership-key';
import { typedProjection } from './typed-projection';

/** Pool grants of users and groups. */
export const poolPermissionProjection: Projection = typedProjection('pool-permission', ['pool_permission'], {
  'pool-permission.granted': async (db, { stream, data, at }) => {
    await db.query(
      `INSERT INTO pool_permission (id, tenant, pool_id, user_id, group_id, granted_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [data.grantId, stream, data.poolId, data.userId, data.groupId, at],
    );
    if (data.userId !== null) await renewMembershipKey(db, data.userId);
  },
  'pool-permission.revoked': async (db, { stream, data }) => {
    const { rows } = await db.query<{ user_id: string | null }>(
      'DELETE FROM pool_permission WHERE tenant = $1 AND id = $2 RETURNING user_id',
      [stream, data.grantId],
    );
    const holder = rows[0]?.user_id;
    if (holder) await renewMembershipKey(db, holder);
  },
});
