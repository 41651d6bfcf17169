import request from 'supertest';
import { API_KEY, startManager, type TestManager } from '../support/manager';
import { callOf, type Route, routesOf } from '../support/routes';
import { makeTenant, type TenantFixture } from '../support/tenants';

/** Values that have broken something somewhere. */
const HOSTILE: unknown[] = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '',
  ' ',
  'x'.repeat(100_000),
  "'; DROP TABLE role; --",
  '%',
  '__proto__',
  '00000000-0000-0000-0000-00000000000g',
  -1,
  1.5,
  2 ** 53,
  1e308,
  true,
  [],
  ['\u0000'],
  [[[]]],
  {},
  { $ne: null },
  { '\u0000': '\u0000' },
];

describe('hostile requests', () => {
  let manager: TestManager;
  let acme: TenantFixture;
  let routes: Route[];
  beforeAll(async () => {
    manager = await startManager();
    acme = await makeTenant(manager, 'acme');
    routes = await routesOf(manager);
  });
  afterAll(() => manager.stop());

  it('no value of any field is a fault of ours', async () => {
    const faults: string[] = [];
    const bodies = routes.filter((route) => Object.keys(route.bodyFields).length > 0 && route.path !== '/api/sql');
    for (const route of bodies) {
      const { path, body } = callOf(route, acme);
      for (const field of Object.keys(route.bodyFields)) {
        for (const value of HOSTILE) {
          // The tenant stays what it is, or nothing behind it is reached; the name is new, or nothing is made.
          if (field === 'tenant' && path !== '/api/auth/login') continue;
          const answer = await manager.root.send(route.method, path, { ...body, [field]: value });
          if (answer.status >= 500)
            faults.push(`${path} ${field}=${JSON.stringify(value).slice(0, 40)}: ${answer.text}`);
        }
      }
    }
    expect(faults).toEqual([]);
  }, 240_000);

  it('no value of any query or path is either', async () => {
    const faults: string[] = [];
    const values = ['%00', '%ED%A0%80', '%', '%zz', '..%2f..', "'", 'x'.repeat(5000), '[]', '%7B%7D'];
    for (const route of routes.filter((candidate) => candidate.method === 'get')) {
      for (const value of values) {
        const fields = [...route.pathFields, ...route.queryFields];
        const path = route.pathFields.reduce((text, field) => text.replace(`{${field}}`, value), route.path);
        const search = route.queryFields.map((field) => `${field}=${value}&${field}[x]=1`).join('&');
        const answer = await manager.root.get(fields.length === 0 ? `${path}?${value}` : `${path}?${search}`);
        if (answer.status >= 500) faults.push(`${path} ${value.slice(0, 40)}: ${answer.status} ${answer.text}`);
        if (answer.status >= 400) expect(Object.keys(answer.body as object)).toContain('error');
      }
    }
    expect(faults).toEqual([]);
  });

  it('no body is either', async () => {
    const deep = (open: string, close: string): string => open.repeat(100_000) + close.repeat(100_000);
    const bodies = [
      deep('[', ']'),
      `{"tenant":"acme","name":"deep","kind":"memory","metastore":${deep('{"a":', '}').replace('{"a":}', '{"a":1}')}}`,
      'null',
      '"text"',
      '1',
      '',
      '{"constructor":{"prototype":{"admin":true}}}',
      '\u0000',
      `{"${'k'.repeat(100_000)}":1}`,
    ];
    for (const path of ['/api/database/create', '/api/auth/login', '/api/role/create']) {
      for (const body of bodies) {
        const answer = await request(manager.url)
          .post(path)
          .set('X-API-Key', API_KEY)
          .set('Content-Type', 'application/json')
          .send(body);
        expect([path, body.slice(0, 30), answer.status]).toEqual([path, body.slice(0, 30), 400]);
      }
      const large = await request(manager.url)
        .post(path)
        .set('X-API-Key', API_KEY)
        .set('Content-Type', 'application/json')
        .send(`{"name":"${'x'.repeat(9_000_000)}"}`);
      expect([large.status, large.body.error]).toEqual([413, 'payload_too_large']);
    }
  });
});
