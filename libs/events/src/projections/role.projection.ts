import type { Projection } from '../projection';
import { typedProjection } from './typed-projection';

/** Roles and their permissions; deleting a role takes its permissions and edges along. */
export const roleProjection: Projection = typedProjection('role', ['role', 'role_permission'], {
  'role.created': (db, { stream, data, at }) =>
    db.query('INSERT INTO role (id, tenant, name, description, builtin, created_at) VALUES ($1, $2, $3, $4, $5, $6)', [
      data.roleId,
      stream,
      data.name,
      data.description,
      data.builtin,
      at,
    ]),
  'role.deleted': (db, { stream, data }) =>
    db.query('DELETE FROM role WHERE tenant = $1 AND id = $2', [stream, data.roleId]),
  'permission.granted': (db, { stream, data, at }) =>
    db.query(
      `INSERT INTO role_permission
         (id, tenant, role_id, effect, catalog_name, schema_name, table_name, verb, granted_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [data.permissionId, stream, data.roleId, data.effect, data.catalog, data.schema, data.table, data.verb, at],
    ),
  'permission.revoked': (db, { stream, data }) =>
    db.query('DELETE FROM role_permission WHERE tenant = $1 AND id = $2', [stream, data.permissionId]),
});
