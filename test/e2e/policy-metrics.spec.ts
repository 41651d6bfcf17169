import { NodeFleet } from '../../apps/manager/src/nodes';
import { InternalServer } from '../../apps/manager/src/nodes/internal-server';
import { PASSWORD, startManager, type TestManager } from '../support/manager';

let manager: TestManager;
const internal = () => {
  const [address] = manager.app.get(InternalServer)['server']?.addresses() ?? [];
  return `http://127.0.0.1:${address?.port}`;
};

beforeAll(async () => {
  manager = await startManager({
    nodes: { start: true, drainMs: 500, threads: 1, memoryLimit: '512MB' },
    policies: { columnPolicies: true, rowPolicies: true },
  });
  const { root } = manager;
  await root.done('/api/tenant/create', { id: 'acme' });
  const initSql =
    "CREATE TABLE customer AS SELECT 1 AS id, 'Anna' AS name UNION ALL SELECT 2, 'Ben'; CREATE TABLE free(a INT)";
  await root.done('/api/database/create', {
    tenant: 'acme',
    name: 'db',
    kind: 'memory',
    defaultDatabase: 'lake',
    initSql,
  });
  await root.done('/api/pool/create', { tenant: 'acme', tenantDb: 'db', pool: 'bi', size: 1 });
  const { id: roleId } = await root.done<{ id: string }>('/api/role/create', { tenant: 'acme', name: 'reader' });
  await root.done('/api/role/permission/grant', { roleId, catalog: 'lake', schema: 'main', table: '*', verb: 'RO' });
  const at = { roleId, catalogName: 'lake', schemaName: 'main', tableName: 'customer' };
  await root.done('/api/role/column-policy/create', {
    ...at,
    columnName: 'name',
    action: 'mask',
    transformSql: "'***'",
  });
  await root.done('/api/role/row-policy/create', { ...at, predicateSql: 'id = 1' });
  const user = { tenant: 'acme', username: 'ana', password: PASSWORD, roles: ['reader'], groups: ['gadwall_no_pools'] };
  const { id: userId } = await root.done<{ id: string }>('/api/user/create', user);
  await root.done('/api/pool/permission/grant', { tenant: 'acme', userId });
}, 60_000);
afterAll(() => manager.stop());

test('a node counts what policies made of each statement, and how long it took', async () => {
  const ana = await manager.login('ana', 'acme');
  const run = (sql: string) => ana.post('/api/sql', { tenant: 'acme', pool: 'bi', sql });
  expect((await run('SELECT * FROM customer')).body).toMatchObject({ rows: [[1, '***']] });
  expect((await run('SELECT * FROM customer')).status).toBe(200);
  expect((await run('SELECT * FROM free')).status).toBe(200);
  expect((await run('EXPLAIN ANALYZE SELECT * FROM customer')).status).toBe(403);
  const status = await manager.root.get('/api/pool/acme/db/bi/status');
  const [node] = (status.body as { id: string; nodes: { nodeId: string }[] }).nodes;
  const url = manager.app.get(NodeFleet).linkOf(node?.nodeId ?? '')?.url;
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string, outcome: string) =>
    Number(
      new RegExp(`^${name}\\{tenant="acme",pool="[^"]+",outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
    );
  expect(value('column_policy_rewrites_total', 'rewritten')).toBe(2);
  expect(value('row_policy_rewrites_total', 'rewritten')).toBe(2);
  expect(value('row_policy_rewrites_total', 'passthrough')).toBe(1);
  expect(value('row_policy_rewrites_total', 'parse_failed')).toBe(1);
  expect(text).toMatch(/row_policy_rewrite_duration_seconds_count\{tenant="acme",pool="[^"]+"\} 1/);
  expect(text).toContain('process_cpu_seconds_total');
});

test('a manager tells whether policies are out of force', async () => {
  const text = await (await fetch(`${internal()}/metrics`)).text();
  expect(text).toContain('gadwall_policies_off{kind="column"} 0');
  expect((await manager.root.get('/metrics')).status).toBe(404);
});
