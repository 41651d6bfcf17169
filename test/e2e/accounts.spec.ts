import { PASSWORD, startManager, type TestManager } from '../support/manager';
import { makeSuperuser, makeTenant, makeUser, type TenantFixture } from '../support/tenants';

interface User {
  id: string;
  username: string;
}

describe('accounts', () => {
  let manager: TestManager;
  let acme: TenantFixture;
  beforeAll(async () => {
    manager = await startManager();
    acme = await makeTenant(manager, 'acme');
  });
  afterAll(() => manager.stop());

  const superusers = async (): Promise<User[]> =>
    ((await manager.root.get('/api/user/list')).body.users as (User & { tenant: string | null })[]).filter(
      (user) => user.tenant === null,
    );

  it('Q-M20: a failure after the user was inserted leaves no user and tells nothing', async () => {
    await manager.db.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'secret detail of the database'; END $$`);
    await manager.db.query('CREATE TRIGGER fail BEFORE INSERT ON user_role EXECUTE FUNCTION fail()');
    try {
      const answer = await manager.root.post('/api/user/create', {
        tenant: 'acme',
        username: 'halfway',
        password: PASSWORD,
      });
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({ error: 'internal', message: 'internal error' });
      const { rows } = await manager.db.query("SELECT 1 FROM user_profile WHERE username = 'halfway'");
      expect(rows).toEqual([]);
    } finally {
      await manager.db.query('DROP TRIGGER fail ON user_role');
      await manager.db.query('DROP FUNCTION fail');
    }
    await makeUser(manager.root, 'acme', 'halfway');
  });

  it('Q-M21: the key role is refused with a hint at kind', async () => {
    for (const [path, body] of [
      ['/api/user/create', { tenant: 'acme', username: 'x', password: PASSWORD, role: 'admin' }],
      ['/api/user/update', { id: acme.userId, role: 'admin' }],
    ] as const) {
      const answer = await manager.root.post(path, body);
      expect(answer.status).toBe(400);
      expect(answer.body.hint).toContain('kind');
    }
  });

  it('Q-M23: the last enabled superuser is neither disabled nor deleted', async () => {
    const [admin] = await superusers();
    const session = await manager.login('admin', null);
    for (const client of [manager.root, session]) {
      const disabled = await client.post('/api/user/update', { id: admin?.id, enabled: false });
      expect([disabled.status, disabled.body.error]).toEqual([400, 'last_superuser']);
      const deleted = await client.post('/api/user/delete', { id: admin?.id });
      expect([deleted.status, deleted.body.error]).toEqual([400, 'last_superuser']);
    }
  });

  it('Q-M23: two at once leave one enabled superuser', async () => {
    for (let round = 0; round < 5; round++) {
      const second = await makeSuperuser(manager.root, `second${round}`);
      const [first] = (await superusers()).filter((user) => user.username === 'admin');
      const answers = await Promise.all([
        manager.root.post('/api/user/update', { id: first?.id, enabled: false }),
        manager.root.post('/api/user/update', { id: second, enabled: false }),
      ]);
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400]);
      expect(answers.find((answer) => answer.status === 400)?.body.error).toBe('last_superuser');
      await manager.root.done('/api/user/update', { id: first?.id, enabled: true });
      await manager.root.done('/api/user/delete', { id: second });
    }
  });

  it('two superusers who disable each other at once leave one', async () => {
    const one = await makeSuperuser(manager.root, 'one');
    const two = await makeSuperuser(manager.root, 'two');
    const [first] = (await superusers()).filter((user) => user.username === 'admin');
    const sessions = [await manager.login('one', null), await manager.login('two', null)] as const;
    await manager.root.done('/api/user/update', { id: first?.id, enabled: false });
    const answers = await Promise.all([
      sessions[0].post('/api/user/update', { id: two, enabled: false }),
      sessions[1].post('/api/user/update', { id: one, enabled: false }),
    ]);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.map((answer) => answer.status)).not.toContain(500);
    await manager.root.done('/api/user/update', { id: first?.id, enabled: true });
    for (const id of [one, two]) await manager.root.done('/api/user/delete', { id });
  });

  it('nobody locks or deletes their own account', async () => {
    const { admin, adminId } = acme;
    const answers = [
      await admin.post('/api/user/update', { id: adminId, enabled: false }),
      await admin.post('/api/user/update', { id: adminId, kind: 'user' }),
      await admin.post('/api/user/delete', { id: adminId }),
    ];
    expect(answers.map((answer) => answer.body.error)).toEqual([
      'cannot_lock_self',
      'cannot_lock_self',
      'cannot_delete_self',
    ]);
  });

  it('only superusers make superusers', async () => {
    const answer = await acme.admin.post('/api/user/create', { tenant: null, username: 'evil', password: PASSWORD });
    expect([answer.status, answer.body.error]).toEqual([403, 'superuser_required']);
  });

  it('invariant 14: a tenant user called superuser is an ordinary user', async () => {
    const id = await makeUser(manager.root, 'acme', 'superuser', {
      roles: ['gadwall_no_tables'],
      groups: ['gadwall_no_pools'],
    });
    const session = await manager.login('superuser', 'acme');
    expect((await session.get('/api/auth/whoami')).body).toMatchObject({ superuser: false, admin: false });
    expect((await session.get('/api/user/list')).body.error).toBe('admin_required');
    expect((await session.get(`/api/user/${id}/effective`)).body.tablePerms).toEqual([]);
    for (const tenant of [null, '']) {
      const system = await manager.anonymous.post('/api/auth/login', {
        username: 'superuser',
        password: PASSWORD,
        tenant,
      });
      expect(system.status).toBe(401);
    }
  });

  it('two identical creates at once: one wins, the other is told so, none is 500', async () => {
    for (const [path, body] of [
      ['/api/role/create', { tenant: 'acme', name: 'twin' }],
      ['/api/group/create', { tenant: 'acme', name: 'twin' }],
      ['/api/tenant/create', { id: 'twin' }],
      ['/api/database/create', { tenant: 'acme', name: 'twin' }],
      ['/api/pool/create', { tenant: 'acme', tenantDb: acme.database, pool: 'twin', size: 1 }],
      ['/api/user/create', { tenant: null, username: 'twin', password: PASSWORD }],
    ] as const) {
      const answers = await Promise.all([manager.root.post(path, body), manager.root.post(path, body)]);
      expect([path, ...answers.map((answer) => answer.status).sort()]).toEqual([path, 200, 409]);
    }
    const same = { tenant: 'acme', username: 'twin', password: PASSWORD };
    const users = await Promise.all([
      manager.root.post('/api/user/create', same),
      manager.root.post('/api/user/create', same),
    ]);
    expect(users.map((answer) => answer.status)).toEqual([200, 200]);
    expect(users[0]?.body.id).toBe(users[1]?.body.id);
  });

  it('one data path belongs to one database, whoever made it', async () => {
    await makeTenant(manager, 'globex');
    await manager.root.done('/api/database/create', { tenant: 'acme', name: 'filed', dataPath: '/data/one.duckdb' });
    const again = { tenant: 'globex', name: 'filed', dataPath: '/data/../data/one.duckdb' };
    const answer = await manager.root.post('/api/database/create', again);
    expect([answer.status, answer.body.error]).toEqual([409, 'path_in_use']);
  });

  it('paths and scripts are for superusers only', async () => {
    for (const more of [
      { dataPath: '/x' },
      { initSql: 'SELECT 1' },
      { metastore: { a: 1 } },
      { objectStore: { a: 1 } },
    ]) {
      const answer = await acme.admin.post('/api/database/create', { tenant: 'acme', name: 'mine', ...more });
      expect([answer.status, answer.body.error]).toEqual([403, 'superuser_required']);
    }
    const pool = { tenant: 'acme', tenantDb: acme.database, pool: 'mine', size: 1, initSql: 'SELECT 1' };
    expect((await acme.admin.post('/api/pool/create', pool)).status).toBe(403);
    const made = await acme.admin.done('/api/database/create', {
      tenant: 'acme',
      name: 'mine',
      dataPath: '',
      metastore: {},
    });
    expect(made).not.toHaveProperty('dataPath');
  });

  it('a new password and a lock end the sessions of before; the old password is no longer taken', async () => {
    const id = await makeUser(manager.root, 'acme', 'moved');
    const before = await manager.login('moved', 'acme');
    await manager.root.done('/api/user/update', { id, password: 'another one' });
    expect((await before.get('/api/auth/whoami')).body.error).toBe('revoked');
    expect(
      (await manager.anonymous.post('/api/auth/login', { username: 'moved', tenant: 'acme', password: PASSWORD }))
        .status,
    ).toBe(401);
    const after = await manager.login('moved', 'acme', 'another one');
    await manager.root.done('/api/user/update', { id, enabled: false });
    expect((await after.get('/api/auth/whoami')).body.error).toBe('revoked');
    await manager.root.done('/api/user/update', { id, enabled: true });
    expect((await after.get('/api/auth/whoami')).body.error).toBe('revoked');
  });

  it('keeps, changes and clears an e-mail address', async () => {
    const body = { tenant: 'acme', username: 'mail', password: PASSWORD, email: 'a@example.org' };
    const { id, email } = await manager.root.done<{ id: string; email: string }>('/api/user/create', body);
    expect(email).toBe('a@example.org');
    const moved = await manager.root.done('/api/user/update', { id, email: 'b@example.org' });
    expect(moved).toMatchObject({ email: 'b@example.org', username: 'mail' });
    expect(await manager.root.done('/api/user/update', { id, email: '' })).toMatchObject({ email: null });
    expect((await manager.root.post('/api/user/update', { id, email: 'nonsense' })).body.error).toBe('invalid_email');
  });

  it('frees the name of a deleted user', async () => {
    const first = await makeUser(manager.root, 'acme', 'reused');
    await manager.root.done('/api/user/delete', { id: first });
    expect(await makeUser(manager.root, 'acme', 'reused')).not.toBe(first);
  });
});
