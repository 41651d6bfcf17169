import { PASSWORD, startManager, type TestManager } from '../support/manager';

interface WithId {
  id: string;
}

describe('administration, end to end', () => {
  let manager: TestManager;
  beforeAll(async () => {
    manager = await startManager();
  }, 120_000);
  afterAll(() => manager.stop());

  it('makes a tenant, a user, a role and a grant, and shows what comes of them', async () => {
    const { root } = manager;
    const tenant = await root.post('/api/tenant/create', {
      id: 'acme',
      displayName: '',
      authProvider: 'db',
      authConfig: {},
    });
    expect(tenant.status).toBe(200);
    expect(tenant.body).toMatchObject({ id: 'acme', displayName: 'acme', disabled: false });
    expect(tenant.headers['gadwall-policy-version']).toBe('tenant=6, system=2');

    await root.done('/api/database/create', { tenant: 'acme', name: 'acme_tpch', defaultSchema: 'tpch1' });
    const pool = await root.done<WithId>('/api/pool/create', {
      tenant: 'acme',
      tenantDb: 'acme_tpch',
      pool: 'bi',
      size: 1,
    });
    const alice = await root.done<WithId>('/api/user/create', {
      tenant: 'acme',
      username: 'alice',
      password: PASSWORD,
      roles: ['qod_no_tables'],
      groups: ['gadwall_no_pools'],
    });
    const role = await root.done<WithId>('/api/role/create', { tenant: 'acme', name: 'analyst' });
    const granted = await root.done('/api/role/permission/grant', {
      roleId: role.id,
      catalog: 'acme_tpch',
      schema: 'tpch1',
      table: 'customer',
      verb: 'RO',
    });
    expect(granted).toMatchObject({ roleId: role.id, tableName: 'customer', verb: 'RO' });
    await root.done('/api/membership/user-role/add', { userId: alice.id, roleId: role.id });
    await root.done('/api/pool/permission/grant', { tenant: 'acme', poolId: pool.id, userId: alice.id });

    const session = await manager.login('alice', 'acme');
    const whoami = await session.get('/api/auth/whoami');
    expect(whoami.body).toMatchObject({ username: 'alice', tenant: 'acme', superuser: false, role: 'user' });
    const effective = await session.get(`/api/user/${alice.id}/effective`);
    expect(effective.status).toBe(200);
    expect(effective.body).toMatchObject({
      user: { username: 'alice', roles: ['analyst', 'gadwall_no_tables'], groups: ['gadwall_no_pools'] },
      pools: [{ pool: 'bi' }],
      tablePerms: [{ catalogName: 'acme_tpch', tableName: 'customer', verb: 'RO', via: [{ role: 'analyst' }] }],
    });
  });
});
