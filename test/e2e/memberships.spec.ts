import { PASSWORD, startManager, type TestManager } from '../support/manager';
import { eventCount, makeTenant, makeUser, type TenantFixture } from '../support/tenants';

interface Listed {
  id: string;
  name: string;
  builtin: boolean;
}

describe('built-ins and memberships', () => {
  let manager: TestManager;
  let acme: TenantFixture;
  const builtin: Record<string, string> = {};

  beforeAll(async () => {
    manager = await startManager();
    acme = await makeTenant(manager, 'acme');
    const roles = (await manager.root.get('/api/role/list?tenant=acme')).body.roles as Listed[];
    const groups = (await manager.root.get('/api/group/list?tenant=acme')).body.groups as Listed[];
    for (const { id, name, builtin: frozen } of [...roles, ...groups]) if (frozen) builtin[name] = id;
  });
  afterAll(() => manager.stop());

  const create = (body: Record<string, unknown>) =>
    manager.root.post('/api/user/create', { tenant: 'acme', password: PASSWORD, ...body });
  const userCount = async (): Promise<number> =>
    ((await manager.root.get('/api/user/list?tenant=acme')).body.users as unknown[]).length;

  it('gives every tenant the four of seed 000', async () => {
    expect(Object.keys(builtin).sort()).toEqual([
      'gadwall_all_pools',
      'gadwall_all_tables',
      'gadwall_no_pools',
      'gadwall_no_tables',
    ]);
    const held = await manager.root.get(`/api/role/permission/list?roleId=${builtin['gadwall_all_tables']}`);
    expect(held.body.permissions).toMatchObject([{ catalogName: '*', schemaName: '*', tableName: '*', verb: 'ALL' }]);
  });

  it('Q-M08: role/delete on a built-in is refused', async () => {
    for (const client of [manager.root, acme.admin]) {
      const answer = await client.post('/api/role/delete', { id: builtin['gadwall_all_tables'] });
      expect([answer.status, answer.body.error]).toEqual([409, 'builtin_protected']);
    }
    const group = await manager.root.post('/api/group/delete', { id: builtin['gadwall_all_pools'] });
    expect([group.status, group.body.error]).toEqual([409, 'builtin_protected']);
  });

  it('refuses to change what a built-in role holds', async () => {
    const roleId = builtin['gadwall_no_tables'];
    const granted = await manager.root.post('/api/role/permission/grant', { roleId, verb: 'RO' });
    expect([granted.status, granted.body.error]).toEqual([409, 'builtin_protected']);
    const all = await manager.root.get(`/api/role/permission/list?roleId=${builtin['gadwall_all_tables']}`);
    const revoked = await manager.root.post('/api/role/permission/revoke', { id: all.body.permissions[0].id });
    expect([revoked.status, revoked.body.error]).toEqual([409, 'builtin_protected']);
  });

  it('Q-M10: roles and pool grants of a built-in group are refused', async () => {
    const groupId = builtin['gadwall_all_pools'];
    const { roleId, poolId } = acme;
    const grants = (await manager.root.get(`/api/pool/permission/list?tenant=acme&groupId=${groupId}`)).body
      .permissions;
    const answers = [
      await manager.root.post('/api/membership/group-role/add', { groupId, roleId }),
      await manager.root.post('/api/membership/group-role/remove', { groupId, roleId }),
      await manager.root.post('/api/pool/permission/grant', { tenant: 'acme', poolId, groupId }),
      await manager.root.post('/api/pool/permission/revoke', { id: grants[0].id }),
    ];
    for (const answer of answers) expect([answer.status, answer.body.error]).toEqual([409, 'builtin_protected']);
  });

  it('lets users come and go in built-ins, and built-in roles be bound into own groups', async () => {
    const { userId, groupId } = acme;
    const roleId = builtin['gadwall_no_tables'];
    await manager.root.done('/api/membership/user-role/remove', { userId, roleId });
    await manager.root.done('/api/membership/user-role/add', { userId, roleId });
    await manager.root.done('/api/membership/group-role/add', { groupId, roleId });
    const bound = await manager.root.get(`/api/membership/group-role/list?groupId=${groupId}`);
    expect(bound.body.roles).toMatchObject([{ roleName: 'gadwall_no_tables' }]);
    await manager.root.done('/api/membership/group-role/remove', { groupId, roleId });
  });

  it.each(['gadwall_x', 'QOD_x', 'Gadwall_', 'ｑｏｄ_x', 'q\u200bod_x'])('reserves the name %s', async (name) => {
    for (const path of ['/api/role/create', '/api/group/create']) {
      const answer = await manager.root.post(path, { tenant: 'acme', name });
      expect([answer.status, answer.body.error]).toEqual([400, 'reserved_name']);
    }
  });

  it('Q-M14: user/create without lists attaches the built-ins of all', async () => {
    const answer = await create({ username: 'defaults' });
    expect(answer.body).toMatchObject({ roles: ['gadwall_all_tables'], groups: ['gadwall_all_pools'] });
    const nulls = await create({ username: 'nulls', roles: null, groups: null, email: null });
    expect(nulls.body).toMatchObject({ roles: ['gadwall_all_tables'], groups: ['gadwall_all_pools'] });
  });

  it('Q-M15, Q-M16: explicitly empty lists are refused', async () => {
    const before = await userCount();
    const roles = await create({ username: 'empty', roles: [] });
    expect([roles.status, roles.body.error]).toEqual([400, 'roles_required']);
    const groups = await create({ username: 'empty', groups: [] });
    expect([groups.status, groups.body.error]).toEqual([400, 'groups_required']);
    expect(await userCount()).toBe(before);
  });

  it('Q-M17: an unknown name is refused, and no user is left', async () => {
    const before = await eventCount(manager);
    const role = await create({ username: 'ghost', roles: ['nope'] });
    expect([role.status, role.body.error]).toEqual([400, 'unknown_role']);
    const group = await create({ username: 'ghost', groups: ['nope'] });
    expect([group.status, group.body.error]).toEqual([400, 'unknown_group']);
    expect(await eventCount(manager)).toBe(before);
    const { rows } = await manager.db.query("SELECT 1 FROM user_profile WHERE username = 'ghost'");
    expect(rows).toEqual([]);
  });

  it('Q-M18: superusers take no lists', async () => {
    const answer = await create({ tenant: null, username: 'super', roles: ['gadwall_all_tables'] });
    expect([answer.status, answer.body.error]).toEqual([400, 'memberships_not_applicable']);
  });

  it('Q-M19: creating a user again without lists changes no membership; with lists attaches what is named', async () => {
    const nothing = { roles: ['qod_no_tables'], groups: ['qod_no_pools'] };
    const id = await makeUser(manager.root, 'acme', 'again', nothing);
    const before = await eventCount(manager);
    const again = await create({ username: 'again' });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ id, roles: ['gadwall_no_tables'], groups: ['gadwall_no_pools'] });
    expect(await eventCount(manager)).toBe(before);
    const named = await create({ username: 'again', roles: ['analyst'] });
    expect(named.body).toMatchObject({ roles: ['analyst', 'gadwall_no_tables'], groups: ['gadwall_no_pools'] });
  });

  it('Q-M37: a deleted role takes its permissions and edges along', async () => {
    const role = await manager.root.done<{ id: string }>('/api/role/create', { tenant: 'acme', name: 'short-lived' });
    await manager.root.done('/api/role/permission/grant', { roleId: role.id, verb: 'RO' });
    await manager.root.done('/api/membership/user-role/add', { userId: acme.userId, roleId: role.id });
    await manager.root.done('/api/membership/group-role/add', { groupId: acme.groupId, roleId: role.id });
    await manager.root.done('/api/role/delete', { id: role.id });
    for (const table of ['role_permission', 'user_role', 'group_role']) {
      const { rows } = await manager.db.query(`SELECT 1 FROM ${table} WHERE role_id = $1`, [role.id]);
      expect(rows).toEqual([]);
    }
    const gone = await manager.root.get(`/api/role/permission/list?roleId=${role.id}`);
    expect(gone.status).toBe(404);
  });

  it('keeps edges within one tenant, for superusers too', async () => {
    const globex = await makeTenant(manager, 'globex');
    const crossed = await manager.root.post('/api/membership/user-role/add', {
      userId: acme.userId,
      roleId: globex.roleId,
    });
    expect([crossed.status, crossed.body.error]).toEqual([400, 'invalid_membership']);
    const pool = await manager.root.post('/api/pool/permission/grant', {
      tenant: 'acme',
      poolId: globex.poolId,
      userId: acme.userId,
    });
    expect(pool.status).toBe(404);
  });

  it('answers a repeated grant with the one that is there', async () => {
    const body = { tenant: 'acme', poolId: acme.poolId, groupId: acme.groupId };
    const again = await manager.root.done<{ id: string }>('/api/pool/permission/grant', body);
    expect(again.id).toBe(acme.grantId);
    const permission = { roleId: acme.roleId, catalog: 'ACME_DB', schema: 'main', table: 'Customer', verb: 'RO' };
    const held = await manager.root.done<{ id: string }>('/api/role/permission/grant', permission);
    expect(held.id).toBe(acme.permissionId);
  });

  it('refuses a pool grant to both or to nobody', async () => {
    const both = { tenant: 'acme', userId: acme.userId, groupId: acme.groupId };
    for (const body of [both, { tenant: 'acme', poolId: acme.poolId }]) {
      const answer = await manager.root.post('/api/pool/permission/grant', body);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
    }
  });

  it('Q-M24: a verb that is none of the four is refused', async () => {
    for (const verb of ['SELECT', 'ro', '']) {
      const answer = await manager.root.post('/api/role/permission/grant', { roleId: acme.roleId, verb });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_permission']);
    }
  });
});
