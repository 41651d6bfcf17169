import { NodeFleet } from '../../apps/manager/src/nodes';
import { InternalServer } from '../../apps/manager/src/nodes/internal-server';
import { API_KEY, startManager, type TestManager } from '../support/manager';
import { routesOf } from '../support/routes';
import { workedExamples } from '../support/worked-examples';

let manager: TestManager;
let internalUrl: string;
let nodeUrl: string;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  await workedExamples(manager);
  await manager.root.done('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT 1' });
  const server = manager.app.get(InternalServer)['server'];
  const { port } = server?.addresses()[0] as { port: number };
  internalUrl = `http://127.0.0.1:${port}`;
  const pool = await manager.root.get('/api/pool/acme/tpch/bi/status');
  const [node] = (pool.body as { nodes: { nodeId: string }[] }).nodes;
  nodeUrl = manager.app.get(NodeFleet).linkOf(node?.nodeId ?? '')?.url ?? '';
}, 60_000);

afterAll(() => manager.stop());

interface Call {
  method: string;
  path: string;
}

/** Of a manager for nodes, as its server lists them. */
function internalRoutes(): Call[] {
  const tree = manager.app.get(InternalServer)['server']?.printRoutes({ commonPrefix: false }) ?? '';
  return [...tree.matchAll(/(\/internal\S*) \(([A-Z, ]+)\)/g)].flatMap(([, path = '', methods = '']) =>
    methods.split(', ').map((method) => ({ method, path })),
  );
}

/** Of a node. */
const NODE_ROUTES: Call[] = [
  { method: 'POST', path: '/internal/statement' },
  { method: 'POST', path: '/internal/session' },
  { method: 'POST', path: '/internal/session/s1/close' },
  { method: 'POST', path: '/internal/policy/bind' },
  { method: 'POST', path: '/internal/secure-view/make' },
  { method: 'POST', path: '/internal/secure-view/drop' },
  { method: 'GET', path: '/internal/health' },
  { method: 'GET', path: '/metrics' },
];

async function statusOf(url: string, { method, path }: Call, body: string | undefined = '{}', key = API_KEY) {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const sent = method === 'GET' || method === 'HEAD' ? undefined : body;
  return (await fetch(`${url}${path}`, { method, headers, body: sent })).status;
}

test('no internal route is on the public port', async () => {
  const routes = internalRoutes();
  const paths = routes.map(({ path }) => path);
  for (const name of ['register', 'ready', 'renew', 'ack', 'follow', 'principals', 'leave', 'handle']) {
    expect(paths).toContain(`/internal/nodes/${name}`);
  }
  for (const route of [...routes, ...NODE_ROUTES]) {
    expect([route.path, await statusOf(manager.url, route)]).toEqual([route.path, 404]);
    expect([200, 201, 204]).not.toContain(await statusOf(manager.url, route, '{}', 'no key'));
  }
});

test('no public route is on the internal ports', async () => {
  const routes = (await routesOf(manager)).map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, 'x'),
  }));
  expect(routes.length).toBeGreaterThan(40);
  const others = ['/health', '/ready', '/api/docs', '/api/docs-json'].map((path) => ({ method: 'GET', path }));
  for (const route of [...routes, ...others]) {
    const statuses = [await statusOf(internalUrl, route), await statusOf(nodeUrl, route)];
    expect([route.path, ...statuses]).toEqual([route.path, 404, 404]);
  }
});

const FORGED = JSON.stringify({ body: JSON.stringify({ kind: 'renewal', content: { nodeId: 'n' } }), signature: 'x' });

test.each(['{}', 'null', '[]', '"x"', '{"body":"{","signature":""}', '{"body":"null","signature":"x"}', FORGED])(
  'a manager refuses whoever is not a node of its own: %s',
  async (body) => {
    for (const route of internalRoutes()) {
      expect([route.path, await statusOf(internalUrl, route, body)]).toEqual([route.path, 401]);
    }
  },
);

test.each([
  '{}',
  'null',
  '[]',
  '"x"',
  '{"handle":1}',
  '{"handle":"a.b"}',
  `{"handle":"${'x'.repeat(100)}","sql":"SELECT 1"}`,
])('a node refuses what no handle vouches for: %s', async (body) => {
  for (const route of NODE_ROUTES.filter(({ method }) => method === 'POST')) {
    expect([route.path, await statusOf(nodeUrl, route, body)]).toEqual([route.path, 401]);
  }
});

test('a node tells its health to this machine, and to nobody what it holds', async () => {
  const health = (await (await fetch(`${nodeUrl}/internal/health`)).json()) as Record<string, unknown>;
  expect(Object.keys(health).sort()).toEqual(['lease', 'loopDelay', 'nodeId', 'refusedForLease', 'versions']);
});
