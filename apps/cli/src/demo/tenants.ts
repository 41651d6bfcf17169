import type { Api } from './api';
import { TPCDS_SQL } from './tpcds';
import { TPCH_SQL } from './tpch';

type Verb = 'RO' | 'RW' | 'DDL' | 'ALL';

interface DemoUser {
  username: string;
  kind: 'user' | 'admin';
  /** Direct roles; without any the user starts from nothing. */
  roles: string[];
  groups: string[];
  pools: string[];
}

/** A tenant with all that is made in it. */
export interface DemoTenant {
  id: string;
  database: { name: string; defaultDatabase: string; defaultSchema: string; initSql: string };
  pools: string[];
  roles: Record<string, [verb: Verb, ...tables: string[]][]>;
  /** Groups with their roles. */
  groups: Record<string, string[]>;
  users: DemoUser[];
  /** The table that is counted to show that the data is there. */
  fact: { table: string; of: string };
}

/** Ids of what was made, by name. */
export interface MadeTenant {
  users: Record<string, string>;
  roles: Record<string, string>;
}

/** Tenant acme as seed 000's "Worked examples" have it, and globex beside it. */
export const TENANTS: DemoTenant[] = [
  {
    id: 'acme',
    database: { name: 'tpch', defaultDatabase: 'acme_tpch', defaultSchema: 'tpch1', initSql: TPCH_SQL },
    pools: ['bi', 'etl'],
    roles: {
      analyst: [
        [
          'RO',
          'acme_tpch.tpch1.customer',
          'acme_tpch.tpch1.orders',
          'acme_tpch.tpch1.nation',
          'acme_tpch.tpch1.region',
        ],
      ],
      etl: [
        ['RW', 'acme_tpch.tpch1.lineitem'],
        ['RO', 'acme_tpch.tpch1.orders'],
      ],
      dba: [['DDL', 'acme_tpch.tpch1.*']],
      tenant_admin: [['ALL', '*.*.*']],
    },
    groups: { 'data-eng': ['etl', 'dba'] },
    users: [
      { username: 'alice', kind: 'user', roles: ['analyst'], groups: [], pools: ['bi'] },
      { username: 'bob', kind: 'user', roles: [], groups: ['data-eng'], pools: ['etl'] },
      { username: 'acme-admin', kind: 'admin', roles: ['tenant_admin'], groups: [], pools: ['bi', 'etl'] },
    ],
    fact: { table: 'lineitem', of: 'line items' },
  },
  {
    id: 'globex',
    database: { name: 'tpcds', defaultDatabase: 'globex_tpcds', defaultSchema: 'tpcds1', initSql: TPCDS_SQL },
    pools: ['sales'],
    roles: { planner: [['RO', 'globex_tpcds.tpcds1.*']] },
    groups: {},
    users: [{ username: 'gina', kind: 'user', roles: ['planner'], groups: [], pools: ['sales'] }],
    fact: { table: 'store_sales', of: 'store sales' },
  },
];

/** Known to everyone, which is why a demo serves the loopback only. */
export function demoPassword(username: string): string {
  return `${username}-demo`;
}

/** Makes a tenant with its database, pools, roles, groups, users and grants, each by one call of the REST API. */
export async function createTenant(root: Api, tenant: DemoTenant): Promise<MadeTenant> {
  const made: MadeTenant = { users: {}, roles: {} };
  await root.post('/api/tenant/create', { id: tenant.id });
  const pools = await createPools(root, tenant);
  for (const [name, grants] of Object.entries(tenant.roles))
    made.roles[name] = await createRole(root, tenant, name, grants);
  const groups: Record<string, string> = {};
  for (const [name, roles] of Object.entries(tenant.groups)) {
    groups[name] = await create(root, '/api/group/create', { tenant: tenant.id, name });
    for (const role of roles) {
      await root.post('/api/membership/group-role/add', { groupId: groups[name], roleId: made.roles[role] });
    }
  }
  for (const user of tenant.users) made.users[user.username] = await createUser(root, tenant, user, pools);
  return made;
}

async function createPools(root: Api, { id: tenant, database, pools }: DemoTenant): Promise<Record<string, string>> {
  await root.post('/api/database/create', { tenant, kind: 'memory', ...database });
  const made: Record<string, string> = {};
  for (const pool of pools) {
    made[pool] = await create(root, '/api/pool/create', { tenant, tenantDb: database.name, pool, size: 1 });
  }
  return made;
}

async function createRole(
  root: Api,
  tenant: DemoTenant,
  name: string,
  grants: DemoTenant['roles'][string],
): Promise<string> {
  const roleId = await create(root, '/api/role/create', { tenant: tenant.id, name });
  for (const [verb, ...tables] of grants) {
    for (const ref of tables) {
      const [catalog, schema, table] = ref.split('.');
      await root.post('/api/role/permission/grant', { roleId, verb, catalog, schema, table });
    }
  }
  return roleId;
}

async function createUser(
  root: Api,
  { id: tenant }: DemoTenant,
  { username, kind, roles, groups, pools }: DemoUser,
  poolIds: Record<string, string>,
): Promise<string> {
  // Without lists a user would get every table and every pool.
  const userId = await create(root, '/api/user/create', {
    tenant,
    username,
    kind,
    password: demoPassword(username),
    roles: roles.length > 0 ? roles : ['gadwall_no_tables'],
    groups: groups.length > 0 ? groups : ['gadwall_no_pools'],
  });
  for (const pool of pools) await root.post('/api/pool/permission/grant', { tenant, poolId: poolIds[pool], userId });
  return userId;
}

async function create(root: Api, path: string, body: unknown): Promise<string> {
  return (await root.post<{ id: string }>(path, body)).id;
}
