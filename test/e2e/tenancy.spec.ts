import type request from 'supertest';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { callOf, type Route, routesOf } from '../support/routes';
import { eventCount, makeTenant, type TenantFixture } from '../support/tenants';

/** Routes for everyone, by Q-M52 and Q-M54. A new one must be put here on purpose. */
const PUBLIC = [
  '/health',
  '/ready',
  '/api/auth/login',
  '/api/auth/mode',
  '/api/auth/change-password',
  '/api/config/client',
];
const FOR_USERS = [
  '/api/auth/logout',
  '/api/auth/whoami',
  '/api/user/{id}/effective',
  '/api/sql',
  '/api/session',
  '/api/session/{id}',
];

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

function send(client: ApiClient, route: Route, ids: TenantFixture): request.Test {
  const { path, body } = callOf(route, ids);
  return client.send(route.method, path, body);
}

describe('tenants do not meet', () => {
  let manager: TestManager;
  let acme: TenantFixture;
  let globex: TenantFixture;
  let routes: Route[];
  let ordinary: ApiClient;

  beforeAll(async () => {
    manager = await startManager();
    acme = await makeTenant(manager, 'acme');
    globex = await makeTenant(manager, 'globex');
    ordinary = await manager.login('ordinary', 'acme');
    routes = await routesOf(manager);
  });
  afterAll(() => manager.stop());

  const closed = (): Route[] => routes.filter((route) => !PUBLIC.includes(route.path));

  it('knows the routes', () => {
    expect(routes.length).toBeGreaterThan(35);
  });

  it('Q-M01, invariant 11: no route lets an admin of A touch or see B', async () => {
    const before = await eventCount(manager);
    const escaped: string[] = [];
    for (const route of closed().filter(({ path }) => path !== '/api/auth/logout')) {
      const answer = await send(acme.admin, route, globex);
      const shown = JSON.stringify(answer.body);
      const refused = answer.status === 403 || answer.status === 404;
      // What names no tenant may answer, but with nothing of the other one's.
      const silent = answer.status === 200 && route.method === 'get' && !shown.includes('globex');
      const named = [...route.pathFields, ...route.queryFields, ...Object.keys(route.bodyFields)].includes('tenant');
      const code = answer.body.error as string;
      const fitting = !refused || !named || ['tenant_forbidden', 'superuser_required'].includes(code);
      if (!(refused || silent) || !fitting) escaped.push(`${route.method} ${route.path}: ${answer.status} ${shown}`);
    }
    expect(escaped).toEqual([]);
    expect(await eventCount(manager)).toBe(before);
  });

  it('Q-M02: an unknown id is answered as a foreign one, word for word', async () => {
    const unknown: TenantFixture = {
      ...globex,
      ...Object.fromEntries(
        ['poolId', 'roleId', 'groupId', 'permissionId', 'grantId', 'userId'].map((k) => [k, UNKNOWN]),
      ),
    };
    const byId = closed().filter(({ path, pathFields, queryFields, bodyFields }) => {
      const fields = [...pathFields, ...queryFields, ...Object.keys(bodyFields)];
      return (
        !path.startsWith('/api/tenant/') && !fields.includes('tenant') && fields.some((field) => /id$/i.test(field))
      );
    });
    expect(byId.length).toBeGreaterThan(10);
    for (const route of byId) {
      const foreign = await send(acme.admin, route, globex);
      const missing = await send(acme.admin, route, unknown);
      expect([route.path, missing.status, missing.body]).toEqual([route.path, 404, foreign.body]);
      expect(missing.body.error).toBe('not_found');
    }
  });

  it('answers an id that is none as an unknown one', async () => {
    for (const id of ['x', "'; DROP TABLE role; --", '']) {
      const answer = await acme.admin.post('/api/role/delete', { id });
      expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
    }
  });

  it('names of other tenants are forbidden whether they exist or not', async () => {
    for (const tenant of ['globex', 'nowhere']) {
      const answer = await acme.admin.post('/api/role/create', { tenant, name: 'x' });
      expect([answer.status, answer.body.error]).toEqual([403, 'tenant_forbidden']);
      for (const what of ['role', 'group', 'user', 'pool', 'database', 'macro']) {
        const listed = await acme.admin.get(`/api/${what}/list?tenant=${tenant}`);
        expect([what, listed.status, listed.body.error]).toEqual([what, 403, 'tenant_forbidden']);
      }
    }
    expect((await acme.admin.get('/api/pool/list?tenant=acme')).body).toEqual(
      (await acme.admin.get('/api/pool/list')).body,
    );
  });

  it('Q-M04: a superuser is neither deleted nor disabled by a tenant admin', async () => {
    const { rows } = await manager.db.query<{ id: string }>('SELECT id FROM app_user WHERE tenant IS NULL');
    const id = rows[0]?.id;
    const answers = [
      await acme.admin.post('/api/user/delete', { id }),
      await acme.admin.post('/api/user/update', { id, enabled: false }),
      await acme.admin.post('/api/user/update', { id, password: 'taken over' }),
      await acme.admin.get(`/api/user/${id}/effective`),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404]);
    const listed = (await acme.admin.get('/api/user/list')).body.users as { tenant: string | null }[];
    expect(listed.every((user) => user.tenant === 'acme')).toBe(true);
  });

  it('Q-M54: a session of a non-admin administers nothing', async () => {
    const open: string[] = [];
    for (const route of closed().filter(({ path }) => !FOR_USERS.includes(path))) {
      const answer = await send(ordinary, route, acme);
      if (answer.body.error !== 'admin_required') open.push(`${route.method} ${route.path}: ${answer.status}`);
    }
    expect(open).toEqual([]);
    expect((await ordinary.get('/api/auth/whoami')).status).toBe(200);
    expect((await ordinary.get(`/api/user/${acme.userId}/effective`)).status).toBe(200);
    expect((await ordinary.get(`/api/user/${acme.adminId}/effective`)).body.error).toBe('admin_required');
    expect((await ordinary.get(`/api/user/${UNKNOWN}/effective`)).body.error).toBe('admin_required');
  });

  it('Q-M52: anonymous gets 401 everywhere, however the path is written', async () => {
    const paths = closed().map((route) => ({ route, path: callOf(route, acme).path }));
    expect(paths.length).toBeGreaterThan(30);
    const open: string[] = [];
    for (const { route, path } of paths) {
      const spellings = [
        path,
        path.replace('/api/', '/%61pi/'),
        path.replace('/api/', '////api/'),
        path.replace('/api/', '/api//'),
        path.replace('/api/', '/api/auth/login/../../'),
        path.replace('/api/', '/API/'),
      ];
      for (const spelling of spellings) {
        const answer = await manager.anonymous.send(route.method, spelling, {});
        if (answer.status !== 401) open.push(`${route.method} ${spelling}: ${answer.status}`);
      }
    }
    expect(open).toEqual([]);
  });

  it('Q-M52: paths that are not there, and public ones written oddly, need a credential too', async () => {
    for (const path of ['/', '/api', '/api/nothing', '/%61pi/config/client', '////api/config/client', '/metrics']) {
      expect([path, (await manager.anonymous.get(path)).status]).toEqual([path, 401]);
    }
    expect((await manager.root.get('/api/nothing')).body).toMatchObject({ error: 'not_found' });
    expect((await manager.anonymous.get('/api/config/client')).status).toBe(200);
  });
});
