import type { Queryable } from '../queryable';

const AT_ONCE = 10_000;

/**
 * Writes the keys of users' edges and own pool grants into `app_user.membership_key`. Equal keys mean equal edges, also after
 * a role, a group or a pool was deleted: that changes all holders alike, so their keys are left as they are. By it the guard
 * of invariant 10 finds the distinct profiles of a tenant without reading every edge.
 */
export async function renewMembershipKeys(db: Queryable, userIds: Iterable<string>): Promise<void> {
  const all = [...userIds];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await db.query(
      `UPDATE app_user SET membership_key = encode(sha256(convert_to(coalesce((
         SELECT string_agg(edge, E'\\n' ORDER BY edge COLLATE "C") FROM (
           SELECT 'r' || role_id AS edge FROM user_role WHERE user_id = app_user.id AND tenant = app_user.tenant
           UNION ALL SELECT 'g' || group_id FROM user_group WHERE user_id = app_user.id AND tenant = app_user.tenant
           UNION ALL SELECT 'p' || coalesce(pool_id::text, '*') FROM pool_permission
             WHERE user_id = app_user.id AND tenant = app_user.tenant
         ) AS edges), ''), 'UTF8')), 'hex') WHERE id = ANY($1::uuid[])`,
      [all.slice(from, from + AT_ONCE)],
    );
  }
}

/**
 * For events that are about to take edges of users along: those of them whose key is yet to be renewed get it now, for it is
 * that of their own last change.
 *
 * @param holders gives the `user_id` of all who have such an edge
 */
export async function renewStaleKeysOf(
  db: Queryable,
  staleKeys: Set<string>,
  holders: string,
  values: unknown[][],
): Promise<void> {
  if (staleKeys.size === 0) return;
  const { rows } = await db.query<{ user_id: string }>(holders, values);
  const stale = new Set(rows.map((row) => row.user_id).filter((id) => staleKeys.has(id)));
  await renewMembershipKeys(db, stale);
  for (const id of stale) staleKeys.delete(id);
}
