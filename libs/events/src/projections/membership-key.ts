import type { Queryable } from '../queryable';

/**
 * Writes the key of a user's edges and own pool grants into `app_user.membership_key`. Equal keys mean equal edges, also
 * after a role, a group or a pool was deleted: that changes all holders alike, so their keys are left as they are. By it
 * the guard of invariant 10 finds the distinct profiles of a tenant without reading every edge.
 */
export async function renewMembershipKey(db: Queryable, userId: string): Promise<void> {
  await db.query(
    `UPDATE app_user SET membership_key = encode(sha256(convert_to(coalesce((
       SELECT string_agg(edge, E'\\n' ORDER BY edge COLLATE "C") FROM (
         SELECT 'r' || role_id AS edge FROM user_role WHERE user_id = $1 AND tenant = app_user.tenant
         UNION ALL SELECT 'g' || group_id FROM user_group WHERE user_id = $1 AND tenant = app_user.tenant
         UNION ALL SELECT 'p' || coalesce(pool_id::text, '*') FROM pool_permission WHERE user_id = $1 AND tenant = app_user.tenant
       ) AS edges), ''), 'UTF8')), 'hex') WHERE id = $1`,
    [userId],
  );
}
