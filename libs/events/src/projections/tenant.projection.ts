import type { Projection } from '../projection';
import { touch } from '../touch';
import { columns, typedProjection } from './typed-projection';

/** Tenants; deleting one takes everything of it along, by the foreign keys. */
export const tenantProjection: Projection = typedProjection('tenant', ['tenant'], {
  'tenant.created': {
    touches: ({ data }) => [touch('changes', 'tenant', data.tenant)],
    apply: (db, events) =>
      db.query(
        `INSERT INTO tenant (id, display_name, auth_provider, created_at)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])`,
        columns(events, ({ data, at }) => [data.tenant, data.displayName, data.authProvider, at.toISOString()]),
      ),
  },
  'tenant.disabled': {
    touches: ({ data }) => [touch('needs', 'tenant', data.tenant), touch('changes', 'tenant disabled', data.tenant)],
    apply: (db, events) =>
      db.query(
        'UPDATE tenant SET disabled = true WHERE id = ANY($1::text[])',
        columns(events, ({ data }) => [data.tenant]),
      ),
  },
  'tenant.enabled': {
    touches: ({ data }) => [touch('needs', 'tenant', data.tenant), touch('changes', 'tenant disabled', data.tenant)],
    apply: (db, events) =>
      db.query(
        'UPDATE tenant SET disabled = false WHERE id = ANY($1::text[])',
        columns(events, ({ data }) => [data.tenant]),
      ),
  },
  'tenant.interrupt-set': {
    touches: ({ data }) => [touch('needs', 'tenant', data.tenant), touch('changes', 'tenant interrupt', data.tenant)],
    apply: (db, events) =>
      db.query(
        `UPDATE tenant SET interrupt_on_revoke = e.interrupt FROM unnest($1::text[], $2::bool[]) AS e(id, interrupt)
         WHERE tenant.id = e.id`,
        columns(events, ({ data }) => [data.tenant, data.interruptOnRevoke]),
      ),
  },
  'tenant.deleted': {
    touches: 'alone',
    apply: (db, events) =>
      db.query(
        'DELETE FROM tenant WHERE id = ANY($1::text[])',
        columns(events, ({ data }) => [data.tenant]),
      ),
  },
});
