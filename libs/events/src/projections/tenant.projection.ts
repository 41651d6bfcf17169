import type { Projection } from '../projection';
import { typedProjection } from './typed-projection';

/** Tenants; deleting one takes everything of it along, by the foreign keys. */
export const tenantProjection: Projection = typedProjection('tenant', ['tenant'], {
  'tenant.created': (db, { data, at }) =>
    db.query('INSERT INTO tenant (id, display_name, auth_provider, created_at) VALUES ($1, $2, $3, $4)', [
      data.tenant,
      data.displayName,
      data.authProvider,
      at,
    ]),
  'tenant.disabled': (db, { data }) => db.query('UPDATE tenant SET disabled = true WHERE id = $1', [data.tenant]),
  'tenant.enabled': (db, { data }) => db.query('UPDATE tenant SET disabled = false WHERE id = $1', [data.tenant]),
  'tenant.interrupt-set': (db, { data }) =>
    db.query('UPDATE tenant SET interrupt_on_revoke = $2 WHERE id = $1', [data.tenant, data.interruptOnRevoke]),
  'tenant.deleted': (db, { data }) => db.query('DELETE FROM tenant WHERE id = $1', [data.tenant]),
});
