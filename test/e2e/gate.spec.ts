import { setImmediate as turn } from 'node:timers/promises';
import { Gate } from '../../apps/manager/src/effective-set';
import type { Authenticated } from '../../apps/manager/src/auth';
import { startManager, type TestManager } from '../support/manager';
import { makeSuperuser, makeTenant, makeUser, type TenantFixture } from '../support/tenants';

describe('gate 1', () => {
  let manager: TestManager;
  let acme: TenantFixture;
  let ana: Authenticated;

  beforeAll(async () => {
    manager = await startManager();
    acme = await makeTenant(manager, 'acme');
    const userId = await makeUser(manager.root, 'acme', 'ana', { roles: ['analyst'], groups: ['staff'] });
    ana = { userId, username: 'ana', tenant: 'acme', superuser: false, admin: false, sessionId: null };
  });
  afterAll(() => manager.stop());

  const admit = (principal: Authenticated, tenant = 'acme', pool = 'bi') =>
    manager.app.get(Gate).admit(principal, tenant, pool);
  const key: Authenticated = {
    userId: null,
    username: 'api-key',
    tenant: null,
    superuser: true,
    admin: true,
    sessionId: null,
  };

  it('admits one to whom the pool is granted, with the set and the versions it is of', async () => {
    const { binding, set, versions } = await admit(ana);
    expect(binding).toMatchObject({ tenant: 'acme', pool: 'bi', database: 'acme_db', defaultDatabase: 'acme_db' });
    expect(set).toMatchObject({ username: 'ana', roles: ['analyst'], groups: ['staff'], pools: [acme.poolId] });
    expect(set.catalogs).toEqual(['acme_db']);
    const { rows } = await manager.db.query<{ version: string }>("SELECT version FROM stream WHERE tenant = 'acme'");
    expect(versions.tenant).toBe(Number(rows[0]?.version));
  });

  it('refuses a pool that is not granted and one that is not there in the same words', async () => {
    await manager.root.done('/api/pool/create', { tenant: 'acme', tenantDb: 'acme_db', pool: 'etl', size: 1 });
    await expect(admit(ana, 'acme', 'etl')).rejects.toMatchObject({ code: 'pool_forbidden' });
    await expect(admit(ana, 'acme', 'nowhere')).rejects.toMatchObject({ code: 'pool_forbidden' });
    await expect(admit(ana, 'globex', 'bi')).rejects.toMatchObject({ code: 'tenant_forbidden' });
    await expect(admit(key, 'acme', 'etl')).resolves.toBeDefined();
    await expect(admit(key, 'acme', 'nowhere')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('Q-L26: refuses while the pool is disabled', async () => {
    const pool = { tenant: 'acme', tenantDb: 'acme_db', pool: 'bi' };
    await manager.root.done('/api/pool/setDisabled', { ...pool, disabled: true });
    await expect(admit(ana)).rejects.toMatchObject({ code: 'pool_disabled' });
    await expect(admit(key)).rejects.toMatchObject({ code: 'pool_disabled' });
    await manager.root.done('/api/pool/setDisabled', { ...pool, disabled: false });
    await expect(admit(ana)).resolves.toBeDefined();
  });

  it('Q-L26: refuses while the tenant is disabled', async () => {
    await manager.root.done('/api/tenant/setDisabled', { name: 'acme', disabled: true });
    await expect(admit(ana)).rejects.toMatchObject({ code: 'tenant_disabled' });
    await expect(admit(key)).rejects.toMatchObject({ code: 'tenant_disabled' });
    await manager.root.done('/api/tenant/setDisabled', { name: 'acme', disabled: false });
    await expect(admit(ana)).resolves.toBeDefined();
  });

  it('Q-L26: refuses while the user is disabled', async () => {
    await manager.root.done('/api/user/update', { id: ana.userId, enabled: false });
    await expect(admit(ana)).rejects.toMatchObject({ code: 'user_disabled' });
    await manager.root.done('/api/user/update', { id: ana.userId, enabled: true });
    await expect(admit(ana)).resolves.toBeDefined();
  });

  it('sees every commit at once', async () => {
    const edge = { userId: ana.userId ?? '', roleId: acme.roleId };
    for (let round = 0; round < 10; round++) {
      await manager.root.done('/api/membership/user-role/remove', edge);
      const without = await admit(ana);
      expect(without.set.permissions).toEqual([]);
      await manager.root.done('/api/membership/user-role/add', edge);
      const again = await admit(ana);
      expect(again.set.permissions).toHaveLength(1);
      expect(again.versions.tenant).toBe(without.versions.tenant + 1);
    }
  });

  it('reads set and version in one snapshot while others write', async () => {
    const edge = { userId: ana.userId ?? '', roleId: acme.roleId };
    const seen = new Map<number, string>();
    let writing = true;
    const writer = (async () => {
      for (let round = 0; round < 15; round++) {
        await manager.root.done('/api/membership/user-role/remove', edge);
        await manager.root.done('/api/membership/user-role/add', edge);
      }
      writing = false;
    })();
    while (writing) {
      // Nothing is read for an admission: the loop lets the writer have its turn.
      await turn();
      const { set, versions } = await admit(ana);
      const content = JSON.stringify(set);
      expect(seen.get(versions.tenant) ?? content).toBe(content);
      seen.set(versions.tenant, content);
    }
    await writer;
    expect(seen.size).toBeGreaterThan(2);
  });

  it('never gives a superuser an admission that is older than the versions it names', async () => {
    const userId = await makeSuperuser(manager.root, 'watched');
    const watched: Authenticated = { ...key, userId, username: 'watched' };
    const { system: enabledUntil } = (await admit(watched)).versions;
    const admitted: number[] = [];
    let disabled = false;
    const reader = (async () => {
      while (!disabled) {
        await turn();
        const admission = await admit(watched).catch(() => null);
        if (admission !== null) admitted.push(admission.versions.system);
      }
    })();
    await manager.root.done('/api/user/update', { id: userId, enabled: false });
    disabled = true;
    await reader;
    expect(admitted.filter((version) => version > enabledUntil)).toEqual([]);
    await expect(admit(watched)).rejects.toMatchObject({ code: 'user_disabled' });
  });

  it('tells one who was deleted meanwhile that the session is over', async () => {
    const userId = await makeUser(manager.root, 'acme', 'leaver');
    const leaver: Authenticated = { ...ana, userId, username: 'leaver' };
    await expect(admit(leaver)).resolves.toBeDefined();
    await manager.root.done('/api/user/delete', { id: userId });
    await expect(admit(leaver)).rejects.toMatchObject({ code: 'revoked' });
  });

  it('gives a superuser every pool and no grants', async () => {
    const { rows } = await manager.db.query<{ id: string }>('SELECT id FROM app_user WHERE tenant IS NULL');
    const root: Authenticated = { ...key, userId: rows[0]?.id ?? '', username: 'admin' };
    const { set } = await admit(root);
    expect(set).toMatchObject({ tenant: null, pools: '*', permissions: [] });
  });
});
