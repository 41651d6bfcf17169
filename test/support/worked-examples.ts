import type { TestManager } from './manager';
import { PASSWORD } from './manager';

/** A pool of tenant acme over a memory database, with the users of seed 000's worked examples. */
export interface Workshop {
  roles: Record<string, string>;
  users: Record<string, string>;
  pools: Record<string, string>;
}

const ACME_SQL = `
  CREATE TABLE customer AS SELECT i AS c_custkey, 'Customer ' || i AS c_name, '10-' || i AS c_phone,
    CASE WHEN i % 2 = 0 THEN 'BUILDING' ELSE 'MACHINERY' END AS c_mktsegment FROM range(1, 11) r(i);
  CREATE TABLE orders AS SELECT i AS o_orderkey, 1 + i % 10 AS o_custkey FROM range(20) r(i);
  CREATE TABLE lineitem(l_orderkey BIGINT, l_custkey BIGINT);
  CREATE TABLE nation AS SELECT 1 AS n_nationkey; CREATE TABLE region AS SELECT 1 AS r_regionkey`;

/** Makes tenants acme and globex as seed 000's "Worked examples" have them. */
export async function workedExamples({ root }: Pick<TestManager, 'root'>): Promise<Workshop> {
  const made: Workshop = { roles: {}, users: {}, pools: {} };
  for (const id of ['acme', 'globex']) await root.done('/api/tenant/create', { id, displayName: id });
  await root.done('/api/database/create', {
    tenant: 'acme',
    name: 'tpch',
    kind: 'memory',
    defaultDatabase: 'acme_tpch',
    defaultSchema: 'tpch1',
    initSql: ACME_SQL,
  });
  for (const pool of ['bi', 'etl']) {
    const { id } = await root.done<{ id: string }>('/api/pool/create', {
      tenant: 'acme',
      tenantDb: 'tpch',
      pool,
      size: 1,
    });
    made.pools[pool] = id;
  }
  const role = async (name: string, permissions: [verb: string, table: string][]) => {
    const { id } = await root.done<{ id: string }>('/api/role/create', { tenant: 'acme', name });
    made.roles[name] = id;
    for (const [verb, ref] of permissions) {
      const [catalog, schema, table] = ref.split('.');
      await root.done('/api/role/permission/grant', { roleId: id, catalog, schema, table, verb });
    }
  };
  await role(
    'analyst',
    ['customer', 'orders', 'nation', 'region'].map((table) => ['RO', `acme_tpch.tpch1.${table}`]),
  );
  await role('etl', [
    ['RW', 'acme_tpch.tpch1.lineitem'],
    ['RO', 'acme_tpch.tpch1.orders'],
  ]);
  await role('dba', [['DDL', 'acme_tpch.tpch1.*']]);
  await role('tenant_admin', [['ALL', '*.*.*']]);
  const user = async (username: string, roles: string[], pools: string[], kind = 'user') => {
    const { id } = await root.done<{ id: string }>('/api/user/create', {
      tenant: 'acme',
      username,
      password: PASSWORD,
      kind,
      roles,
      groups: ['gadwall_no_pools'],
    });
    made.users[username] = id;
    for (const pool of pools) {
      await root.done('/api/pool/permission/grant', { tenant: 'acme', poolId: made.pools[pool], userId: id });
    }
  };
  await user('alice', ['analyst'], ['bi']);
  await user('bob', ['gadwall_no_tables'], ['etl']);
  await user('acme-admin', ['tenant_admin'], ['bi', 'etl'], 'admin');
  const group = await root.done<{ id: string }>('/api/group/create', { tenant: 'acme', name: 'data-eng' });
  for (const name of ['etl', 'dba']) {
    await root.done('/api/membership/group-role/add', { groupId: group.id, roleId: made.roles[name] });
  }
  await root.done('/api/membership/user-group/add', { userId: made.users.bob, groupId: group.id });
  return made;
}
