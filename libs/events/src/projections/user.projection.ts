import { SYSTEM_STREAM } from '../event';
import type { Projection } from '../projection';
import { renewMembershipKey } from './membership-key';
import { typedProjection } from './typed-projection';

/** Accounts; one of `$system` is a superuser. Names and passwords are in side tables, by the versions kept here. */
export const userProjection: Projection = typedProjection('user', ['app_user', 'user_role', 'user_group'], {
  'user.created': async (db, { stream, data, at }) => {
    await db.query(
      `INSERT INTO app_user (id, tenant, kind, must_change_password, profile_version, credential_version, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        data.userId,
        stream === SYSTEM_STREAM ? null : stream,
        data.kind,
        data.mustChangePassword,
        data.profileVersion,
        data.credentialVersion,
        at,
      ],
    );
    await renewMembershipKey(db, data.userId);
  },
  'user.kind-changed': (db, { data }) =>
    db.query('UPDATE app_user SET kind = $2 WHERE id = $1', [data.userId, data.kind]),
  'user.enabled': (db, { data }) => db.query('UPDATE app_user SET enabled = true WHERE id = $1', [data.userId]),
  'user.disabled': (db, { data }) => db.query('UPDATE app_user SET enabled = false WHERE id = $1', [data.userId]),
  'user.deleted': (db, { data }) => db.query('DELETE FROM app_user WHERE id = $1', [data.userId]),
  'user.credential-changed': (db, { data }) =>
    db.query('UPDATE app_user SET credential_version = $2, must_change_password = $3 WHERE id = $1', [
      data.userId,
      data.credentialVersion,
      data.mustChangePassword,
    ]),
  'user.profile-changed': (db, { data }) =>
    db.query('UPDATE app_user SET profile_version = $2 WHERE id = $1', [data.userId, data.profileVersion]),
  'user-role.added': async (db, { stream, data }) => {
    await db.query('INSERT INTO user_role (tenant, user_id, role_id) VALUES ($1, $2, $3)', [
      stream,
      data.userId,
      data.roleId,
    ]);
    await renewMembershipKey(db, data.userId);
  },
  'user-role.removed': async (db, { stream, data }) => {
    await db.query('DELETE FROM user_role WHERE tenant = $1 AND user_id = $2 AND role_id = $3', [
      stream,
      data.userId,
      data.roleId,
    ]);
    await renewMembershipKey(db, data.userId);
  },
  'user-group.added': async (db, { stream, data }) => {
    await db.query('INSERT INTO user_group (tenant, user_id, group_id) VALUES ($1, $2, $3)', [
      stream,
      data.userId,
      data.groupId,
    ]);
    await renewMembershipKey(db, data.userId);
  },
  'user-group.removed': async (db, { stream, data }) => {
    await db.query('DELETE FROM user_group WHERE tenant = $1 AND user_id = $2 AND group_id = $3', [
      stream,
      data.userId,
      data.groupId,
    ]);
    await renewMembershipKey(db, data.userId);
  },
});
