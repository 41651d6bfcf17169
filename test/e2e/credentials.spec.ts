import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { freshDatabase } from '../support/fresh-database';
import { API_KEY, PASSWORD, startManager, type TestManager } from '../support/manager';
import { makeTenant, makeUser } from '../support/tenants';

describe('credentials', () => {
  let manager: TestManager;
  beforeAll(async () => {
    manager = await startManager();
    await makeTenant(manager, 'acme');
  });
  afterAll(() => manager.stop());

  const login = (body: Record<string, unknown>) => manager.anonymous.post('/api/auth/login', body);

  it('logs in to the tenant realm and tells who one is', async () => {
    const answer = await login({ username: 'boss', password: PASSWORD, tenant: 'acme' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      username: 'boss',
      tenant: 'acme',
      superuser: false,
      admin: true,
      manageableTenants: ['acme'],
    });
  });

  it('logs a superuser in without a tenant only', async () => {
    const system = await login({ username: 'admin', password: PASSWORD });
    expect(system.body).toMatchObject({ superuser: true, admin: true, manageableTenants: ['acme'] });
    expect((await login({ username: 'admin', password: PASSWORD, tenant: 'acme' })).status).toBe(401);
    expect((await login({ username: 'boss', password: PASSWORD })).status).toBe(401);
  });

  it('gives one answer for unknown user, wrong password, disabled user and unknown tenant', async () => {
    const id = await makeUser(manager.root, 'acme', 'locked');
    await manager.root.done('/api/user/update', { id, enabled: false });
    const answers = [
      await login({ username: 'nobody', password: PASSWORD, tenant: 'acme' }),
      await login({ username: 'boss', password: 'wrong', tenant: 'acme' }),
      await login({ username: 'locked', password: PASSWORD, tenant: 'acme' }),
      await login({ username: 'boss', password: PASSWORD, tenant: 'nowhere' }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({ error: 'invalid_credentials', message: 'invalid username or password' });
    }
  });

  it('does the same work for an unknown user as for a wrong password', async () => {
    const time = async (username: string): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 9; i++) {
        const start = performance.now();
        await login({ username, password: 'wrong', tenant: 'acme' });
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[4] ?? 0;
    };
    const [unknown, known] = [await time('nobody'), await time('boss')];
    expect(unknown).toBeGreaterThan(known / 3);
    expect(known).toBeGreaterThan(unknown / 3);
  });

  it('refuses a blank password', async () => {
    const answer = await login({ username: 'boss', password: '  ', tenant: 'acme' });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_credentials']);
  });

  it('asks for a new password where the account says so, and takes it', async () => {
    const body = { tenant: 'acme', username: 'fresh', password: PASSWORD, mustChangePassword: true };
    await manager.root.done('/api/user/create', body);
    const refused = await login({ username: 'fresh', password: PASSWORD, tenant: 'acme' });
    expect([refused.status, refused.body.error]).toEqual([401, 'password_change_required']);
    const change = { tenant: 'acme', username: 'fresh', currentPassword: PASSWORD, newPassword: 'a newer one' };
    const wrong = await manager.anonymous.post('/api/auth/change-password', { ...change, currentPassword: 'no' });
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_credentials']);
    await manager.anonymous.done('/api/auth/change-password', change);
    const session = await manager.login('fresh', 'acme', 'a newer one');
    expect((await session.get('/api/auth/whoami')).status).toBe(200);
  });

  it('ends a session at logout', async () => {
    const session = await manager.login('boss', 'acme');
    expect((await session.post('/api/auth/logout')).status).toBe(200);
    const after = await session.get('/api/auth/whoami');
    expect([after.status, after.body.error]).toEqual([401, 'revoked']);
  });

  it('ends a session at its idle and at its absolute limit', async () => {
    const idle = await manager.login('boss', 'acme');
    await manager.db.query("UPDATE session SET last_used_at = last_used_at - interval '2 hours'");
    expect((await idle.get('/api/auth/whoami')).body.error).toBe('expired');
    const old = await manager.login('boss', 'acme');
    await manager.db.query("UPDATE session SET expires_at = now() - interval '1 second'");
    expect((await old.get('/api/auth/whoami')).body.error).toBe('expired');
  });

  it('stores no token, only its hash', async () => {
    const { token } = (await login({ username: 'boss', password: PASSWORD, tenant: 'acme' })).body as { token: string };
    expect(Buffer.from(token.slice(4), 'base64url')).toHaveLength(32);
    const { rows } = await manager.db.query('SELECT * FROM session');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await manager.as(token).get('/api/auth/whoami')).status).toBe(200);
  });

  it('takes a credential as a bearer too, in any case', async () => {
    for (const scheme of ['Bearer', 'bearer']) {
      const answer = await request(manager.url).get('/api/user/list').set('Authorization', `${scheme} ${API_KEY}`);
      expect(answer.status).toBe(200);
    }
    const basic = await request(manager.url).get('/api/user/list').set('Authorization', `Basic ${API_KEY}`);
    expect(basic.body.error).toBe('no_session');
  });

  it('refuses a wrong, an empty and a nearly right key', async () => {
    for (const [key, code] of [
      ['wrong', 'invalid'],
      ['', 'no_session'],
      [`${API_KEY}x`, 'invalid'],
      [API_KEY.slice(1), 'invalid'],
    ] as const) {
      const answer = await manager.as(key).get('/api/user/list');
      expect([answer.status, answer.body.error]).toEqual([401, code]);
    }
  });

  it.each([null, ''])('Q-M53: a manager with the key %j opens nothing to an empty key', async (apiKey) => {
    const other = await startManager({ apiKey });
    try {
      for (const key of ['', ' ', 'null', 'undefined']) {
        expect((await other.as(key).get('/api/user/list')).status).toBe(401);
      }
      expect((await other.anonymous.get('/api/user/list')).status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  it('answers malformed bodies with a code and no text of theirs', async () => {
    const raw = (body: string, type = 'application/json') =>
      request(manager.url).post('/api/role/create').set('X-API-Key', API_KEY).set('Content-Type', type).send(body);
    const broken = await raw('{"tenant": "s3cret');
    expect([broken.status, broken.body.error]).toEqual([400, 'malformed_request']);
    expect(broken.text).not.toContain('s3cret');
    const typed = await raw('<x/>', 'application/xml');
    expect([typed.status, typed.body.error]).toEqual([415, 'unsupported_media_type']);
    const array = await raw('[1]');
    expect(array.status).toBe(400);
    const polluted = await raw('{"__proto__": {"admin": true}, "tenant": "acme", "name": "x"}');
    expect(polluted.status).toBe(400);
    const unknown = await manager.root.post('/api/role/create', { tenant: 'acme', name: 'x', surprise: 's3cret' });
    expect([unknown.status, unknown.body.error]).toEqual([400, 'invalid_request']);
    expect(unknown.text).not.toContain('s3cret');
    const mistyped = await manager.root.post('/api/role/create', { tenant: 'acme', name: { $ne: 1 } });
    expect(mistyped.status).toBe(400);
  });
});

describe('the first superuser', () => {
  it('gets a random password, kept for the owner of the process alone', async () => {
    const manager = await startManager({ admin: { username: 'chief', password: null } });
    try {
      const file = join(manager.dataDir, 'admin-password');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const session = await manager.login('chief', null, readFileSync(file, 'utf8').trim());
      expect((await session.get('/api/auth/whoami')).body.superuser).toBe(true);
    } finally {
      await manager.stop();
    }
  });

  it('keeps its password when the manager starts again with another one', async () => {
    const database = await freshDatabase();
    const first = await startManager({}, database);
    await first.stop();
    const second = await startManager({ admin: { username: 'admin', password: 'another one' } }, database);
    try {
      await second.login('admin', null, PASSWORD);
      const other = { username: 'admin', password: 'another one' };
      expect((await second.anonymous.post('/api/auth/login', other)).status).toBe(401);
    } finally {
      await second.stop();
      await database.drop();
    }
  });
});
