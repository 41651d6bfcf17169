import type { Projection } from '../projection';
import { typedProjection } from './typed-projection';

/** Groups and the roles bound into them; deleting a group takes its edges and pool grants along. */
export const groupProjection: Projection = typedProjection('group', ['app_group', 'group_role'], {
  'group.created': (db, { stream, data, at }) =>
    db.query(
      'INSERT INTO app_group (id, tenant, name, description, builtin, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
      [data.groupId, stream, data.name, data.description, data.builtin, at],
    ),
  'group.deleted': (db, { stream, data }) =>
    db.query('DELETE FROM app_group WHERE tenant = $1 AND id = $2', [stream, data.groupId]),
  'group-role.added': (db, { stream, data }) =>
    db.query('INSERT INTO group_role (tenant, group_id, role_id) VALUES ($1, $2, $3)', [
      stream,
      data.groupId,
      data.roleId,
    ]),
  'group-role.removed': (db, { stream, data }) =>
    db.query('DELETE FROM group_role WHERE tenant = $1 AND group_id = $2 AND role_id = $3', [
      stream,
      data.groupId,
      data.roleId,
    ]),
});
