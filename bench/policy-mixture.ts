import type { HistoryShape } from './policy-history';

/** The tenant that has 100,000 users after a million events. */
export const BIG_TENANT = 'big';

/** What an installation does day by day: mostly users, their roles and groups, and what those may read; some tidying up. */
export const MIXTURE: HistoryShape = {
  tenants: {
    [BIG_TENANT]: 140,
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`tenant${i}`, 3])),
  },
  names: 5000,
  types: {
    'user.created': 1600,
    'user.kind-changed': 50,
    'user.enabled': 150,
    'user.disabled': 250,
    'user.deleted': 150,
    'user.credential-changed': 500,
    'user.profile-changed': 600,
    'user-role.added': 3000,
    'user-role.removed': 800,
    'user-group.added': 1200,
    'user-group.removed': 300,
    'pool-permission.granted': 600,
    'pool-permission.revoked': 150,
    'permission.granted': 400,
    'permission.revoked': 150,
    'group-role.added': 40,
    'group-role.removed': 15,
    'role.created': 20,
    'role.deleted': 3,
    'group.created': 10,
    'group.deleted': 2,
    'macro.admitted': 3,
    'macro.withdrawn': 1,
    'federated-source.created': 2,
    'federated-source.deleted': 1,
    'database.created': 6,
    'database.updated': 5,
    'database.deleted': 1,
    'pool.created': 6,
    'pool.scaled': 30,
    'pool.stopped': 5,
    'pool.disabled': 5,
    'pool.enabled': 5,
    'pool.deleted': 1,
    'tenant.created': 0,
    'tenant.disabled': 1,
    'tenant.enabled': 1,
    'tenant.interrupt-set': 1,
    'tenant.deleted': 0,
  },
};
