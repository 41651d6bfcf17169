import { SYSTEM_STREAM } from '../event';
import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Accounts; one of `$system` is a superuser. Names and passwords are in side tables, by the versions kept here. */
export const userProjection: Projection = typedProjection('user', ['app_user'], {
  'user.created': {
    touches: ({ stream, data }) => [touch('needs', 'tenant', stream), touch('changes', 'user', data.userId)],
    apply: async (db, events, staleKeys) => {
      await db.query(
        `INSERT INTO app_user (id, tenant, kind, must_change_password, profile_version, credential_version, created_at)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bool[], $5::int[], $6::int[], $7::timestamptz[])`,
        columns(events, ({ stream, data, at }) => [
          data.userId,
          stream === SYSTEM_STREAM ? null : stream,
          data.kind,
          data.mustChangePassword,
          data.profileVersion,
          data.credentialVersion,
          at.toISOString(),
        ]),
      );
      for (const { data } of events) staleKeys.add(data.userId);
    },
  },
  'user.kind-changed': {
    touches: ({ data }) => [touch('needs', 'user', data.userId), touch('changes', 'user kind', data.userId)],
    apply: (db, events) =>
      db.query(
        'UPDATE app_user SET kind = e.kind FROM unnest($1::uuid[], $2::text[]) AS e(id, kind) WHERE app_user.id = e.id',
        columns(events, ({ data }) => [data.userId, data.kind]),
      ),
  },
  'user.enabled': {
    touches: ({ data }) => [touch('needs', 'user', data.userId), touch('changes', 'user enabled', data.userId)],
    apply: (db, events) =>
      db.query(
        'UPDATE app_user SET enabled = true WHERE id = ANY($1::uuid[])',
        columns(events, ({ data }) => [data.userId]),
      ),
  },
  'user.disabled': {
    touches: ({ data }) => [touch('needs', 'user', data.userId), touch('changes', 'user enabled', data.userId)],
    apply: (db, events) =>
      db.query(
        'UPDATE app_user SET enabled = false WHERE id = ANY($1::uuid[])',
        columns(events, ({ data }) => [data.userId]),
      ),
  },
  'user.deleted': {
    touches: ({ data }) => [touch('changes', 'user', data.userId)],
    apply: (db, events) =>
      db.query(
        'DELETE FROM app_user WHERE id = ANY($1::uuid[])',
        columns(events, ({ data }) => [data.userId]),
      ),
  },
  'user.credential-changed': {
    touches: ({ data }) => [touch('needs', 'user', data.userId), touch('changes', 'user credential', data.userId)],
    apply: (db, events) =>
      db.query(
        `UPDATE app_user SET credential_version = e.credential_version, must_change_password = e.must_change_password
         FROM unnest($1::uuid[], $2::int[], $3::bool[]) AS e(id, credential_version, must_change_password)
         WHERE app_user.id = e.id`,
        columns(events, ({ data }) => [data.userId, data.credentialVersion, data.mustChangePassword]),
      ),
  },
  'user.profile-changed': {
    touches: ({ data }) => [touch('needs', 'user', data.userId), touch('changes', 'user profile', data.userId)],
    apply: (db, events) =>
      db.query(
        `UPDATE app_user SET profile_version = e.profile_version
         FROM unnest($1::uuid[], $2::int[]) AS e(id, profile_version) WHERE app_user.id = e.id`,
        columns(events, ({ data }) => [data.userId, data.profileVersion]),
      ),
  },
});
