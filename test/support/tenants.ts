import { type ApiClient, PASSWORD, type TestManager } from './manager';

interface WithId {
  id: string;
}

/** Names to give to a new user; absent = the defaults of the API. */
export interface Memberships {
  roles?: string[];
  groups?: string[];
}

/** Makes a user of a tenant and gives the id. */
export async function makeUser(
  client: ApiClient,
  tenant: string,
  username: string,
  more: Memberships & { kind?: 'user' | 'admin' } = {},
): Promise<string> {
  const made = await client.done<WithId>('/api/user/create', { tenant, username, password: PASSWORD, ...more });
  return made.id;
}

/** Makes a superuser and gives the id. */
export async function makeSuperuser(client: ApiClient, username: string): Promise<string> {
  return (await client.done<WithId>('/api/user/create', { tenant: null, username, password: PASSWORD })).id;
}

/** Ids of everything in a tenant that has one of each thing. */
export interface TenantFixture {
  tenant: string;
  database: string;
  pool: string;
  poolId: string;
  roleId: string;
  groupId: string;
  permissionId: string;
  columnPolicyId: string;
  rowPolicyId: string;
  grantId: string;
  /** An ordinary user with nothing. */
  userId: string;
  adminId: string;
  /** A session of the tenant's admin, who holds everything in it. */
  admin: ApiClient;
}

/** Makes a tenant with one of each thing. */
export async function makeTenant(manager: TestManager, tenant: string): Promise<TenantFixture> {
  const { root } = manager;
  await root.done('/api/tenant/create', { id: tenant });
  const database = `${tenant}_db`;
  await root.done('/api/database/create', { tenant, name: database, kind: 'memory' });
  const { id: poolId } = await root.done<WithId>('/api/pool/create', {
    tenant,
    tenantDb: database,
    pool: 'bi',
    size: 1,
  });
  const { id: roleId } = await root.done<WithId>('/api/role/create', { tenant, name: 'analyst' });
  const { id: groupId } = await root.done<WithId>('/api/group/create', { tenant, name: 'staff' });
  const { id: permissionId } = await root.done<WithId>('/api/role/permission/grant', {
    roleId,
    catalog: database,
    schema: 'main',
    table: 'customer',
    verb: 'RO',
  });
  const place = { roleId, catalogName: database, schemaName: 'main', tableName: 'customer' };
  const { id: columnPolicyId } = await root.done<WithId>('/api/role/column-policy/create', {
    ...{ ...place, columnName: 'phone', action: 'deny' },
  });
  const { id: rowPolicyId } = await root.done<WithId>('/api/role/row-policy/create', {
    ...{ ...place, predicateSql: "segment = 'BUILDING'" },
  });
  const { id: grantId } = await root.done<WithId>('/api/pool/permission/grant', { tenant, poolId, groupId });
  const nothing = { roles: ['gadwall_no_tables'], groups: ['gadwall_no_pools'] };
  const userId = await makeUser(root, tenant, 'ordinary', nothing);
  const adminId = await makeUser(root, tenant, 'boss', { kind: 'admin' });
  const admin = await manager.login('boss', tenant);
  return {
    ...{ tenant, database, pool: 'bi', poolId, roleId, groupId, permissionId, columnPolicyId, rowPolicyId, grantId },
    ...{ userId, adminId, admin },
  };
}

/** The events of all streams, counted: equal numbers, nothing changed. */
export async function eventCount(manager: TestManager): Promise<number> {
  const { rows } = await manager.db.query<{ n: string }>('SELECT count(*) AS n FROM event');
  return Number(rows[0]?.n);
}
