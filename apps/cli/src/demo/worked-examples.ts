/** One row of a table of seed 000's "Worked examples". */
export interface Example {
  user: string;
  tenant: string;
  pool: string;
  sql: string;
  /** `allowed`, or the code of the refusal: `pool_forbidden` at gate 1, `access_denied` at gate 2. */
  expected: 'allowed' | 'pool_forbidden' | 'access_denied';
  /** Why it is allowed; a refusal gives its reason itself. */
  why?: string;
}

/** One of its tables. */
export interface Scene {
  title: string;
  setup: string;
  examples: Example[];
}

const alice = { user: 'alice', tenant: 'acme', pool: 'bi' };
const bob = { user: 'bob', tenant: 'acme', pool: 'etl' };
const admin = { user: 'acme-admin', tenant: 'acme', pool: 'bi' };

/**
 * Every row of seed 000's "Worked examples", in its order. Where the seed writes `INSERT INTO lineitem SELECT * FROM orders`
 * the columns are named: those of TPC-H's two tables do not fit each other.
 */
export const WORKED_EXAMPLES: Scene[] = [
  {
    title: 'Read-only analyst',
    setup: 'alice: role analyst = RO on customer, orders, nation, region; pool bi',
    examples: [
      { ...alice, sql: 'SELECT * FROM customer', expected: 'allowed', why: 'RO on acme_tpch.tpch1.customer' },
      { ...alice, sql: 'SELECT * FROM lineitem', expected: 'access_denied' },
      { ...alice, sql: "INSERT INTO customer VALUES (0, 'Eve', '', 0, '', 0, '', '')", expected: 'access_denied' },
    ],
  },
  {
    title: 'ETL pipeline through a group',
    setup: 'bob: group data-eng = roles etl (RW on lineitem, RO on orders) and dba (DDL on tpch1.*); pool etl',
    examples: [
      {
        ...bob,
        sql: 'INSERT INTO lineitem (l_orderkey, l_shipdate) SELECT o_orderkey, o_orderdate FROM orders',
        expected: 'allowed',
        why: 'RW on lineitem and RO on orders, by role etl',
      },
      {
        ...bob,
        sql: 'DELETE FROM lineitem WHERE l_orderkey < 0',
        expected: 'allowed',
        why: 'RW on lineitem, by role etl',
      },
      { ...bob, sql: 'CREATE TABLE foo (id INT)', expected: 'allowed', why: 'DDL on acme_tpch.tpch1.*, by role dba' },
      { ...bob, sql: 'SELECT * FROM customer', expected: 'access_denied' },
    ],
  },
  {
    title: 'Cross-tenant denial via wildcard scope',
    setup: 'acme-admin: role tenant_admin = ALL on *.*.*, which means the catalogs of acme; pools bi and etl',
    examples: [
      { ...admin, sql: 'SELECT * FROM customer', expected: 'allowed', why: 'ALL on *.*.*' },
      { ...admin, sql: 'CREATE TABLE tpch1.new_table (id INT)', expected: 'allowed', why: 'ALL on *.*.*' },
      { ...admin, sql: 'SELECT * FROM globex_tpcds.tpcds1.store_sales', expected: 'access_denied' },
    ],
  },
  {
    title: 'Pool gate versus statement gate',
    setup: 'alice again: a grant on the table is none on the pool, and no SQL is looked at where gate 1 says no',
    examples: [
      {
        ...alice,
        sql: 'SELECT * FROM customer',
        expected: 'allowed',
        why: 'pool bi, and RO on acme_tpch.tpch1.customer',
      },
      { ...alice, pool: 'etl', sql: 'SELECT * FROM customer', expected: 'pool_forbidden' },
    ],
  },
];

/** Not of the seed: that the table which acme's admin may not read is there, for who may. */
export const OTHER_TENANT: Scene = {
  title: 'The other tenant',
  setup: 'gina of globex: role planner = RO on globex_tpcds.tpcds1.*; pool sales',
  examples: [
    {
      user: 'gina',
      tenant: 'globex',
      pool: 'sales',
      sql: 'SELECT * FROM globex_tpcds.tpcds1.store_sales LIMIT 100',
      expected: 'allowed',
      why: 'RO on globex_tpcds.tpcds1.*',
    },
  ],
};
