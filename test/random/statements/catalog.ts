/** A name as three parts. */
export interface Name {
  catalog: string;
  schema: string;
  name: string;
}

/** Names are one in any letters. */
export function sameName(a: Name, b: Name): boolean {
  const key = ({ catalog, schema, name }: Name) => `${catalog}.${schema}.${name}`.toLowerCase();
  return key(a) === key(b);
}

/** What a statement has to be granted: an object, and the class of the access (seed 000, "Verbs"). */
export interface Need extends Name {
  access: 'Read' | 'Write' | 'Ddl';
}

/** A table, or a view with what it stands on; one that stands on no table stands on itself. Columns: id, ref, note. */
export interface Relation extends Name {
  bases: readonly Name[];
  view: boolean;
}

const COLUMNS = '(id INT, ref INT, note VARCHAR)';

function table(catalog: string, schema: string, name: string): Relation {
  return { catalog, schema, name, view: false, bases: [{ catalog, schema, name }] };
}

function view(schema: string, name: string, ...over: Relation[]): Relation {
  const own = { catalog: 'lake', schema, name };
  return { ...own, view: true, bases: over.length > 0 ? over.flatMap(({ bases }) => bases) : [own] };
}

/** The names of one schema are in the other one too: a wrong schema is a wrong object. */
const customer = table('lake', 'main', 'customer');
const orders = table('lake', 'main', 'orders');
const salary = table('lake', 'main', 'salary');
const numbered = table('lake', 'main', 'numbered');
const customerOfS1 = table('lake', 's1', 'customer');
const audit = table('lake', 's1', 'audit');
const far = table('pgsrc', 'public', 'far');
const farCustomer = table('pgsrc', 'public', 'customer');

export const TABLES = [customer, orders, salary, numbered, customerOfS1, audit, far, farCustomer] as const;

const vOrders = view('main', 'v_orders', orders);
const vPay = view('main', 'v_pay', customer, salary);
const vDeep = view('main', 'v_deep', vPay, vOrders);
const vConst = view('main', 'v_const');
const vMixed = view('s1', 'v_mixed', audit, vConst);
const vFar = view('s1', 'v_far', far, vOrders);

export const VIEWS = [vOrders, vPay, vDeep, vConst, vMixed, vFar] as const;
export const RELATIONS: readonly Relation[] = [...TABLES, ...VIEWS];

export const MOOD: Name = { catalog: 'lake', schema: 'main', name: 'mood' };
export const SEQUENCE: Name = { catalog: 'lake', schema: 'main', name: 'seq' };
/** Nothing has these names. */
export const MISSING: readonly Name[] = [
  { catalog: 'lake', schema: 'main', name: 'nothing' },
  { catalog: 'lake', schema: 's1', name: 'v_orders' },
  { catalog: 'pgsrc', schema: 'public', name: 'salary' },
];

/** The catalogs that a wildcard reaches; the other one is federated, and nothing in it can be changed. */
export const OWN_CATALOGS = ['lake'];
export const READ_ONLY_CATALOG = 'pgsrc';

export const CATALOG_SQL = `
  CREATE SCHEMA lake.s1; CREATE SCHEMA pgsrc.public;
  CREATE SEQUENCE lake.main.seq; CREATE TYPE lake.main.mood AS ENUM ('good', 'bad');
  ${TABLES.filter((one) => one !== numbered)
    .map(({ catalog, schema, name }) => `CREATE TABLE ${catalog}.${schema}.${name}${COLUMNS};`)
    .join('\n')}
  CREATE TABLE lake.main.numbered(id INT DEFAULT nextval('lake.main.seq'), ref INT, note VARCHAR);
  CREATE VIEW lake.main.v_orders AS FROM lake.main.orders;
  CREATE VIEW lake.main.v_pay AS SELECT c.id, s.ref, s.note FROM lake.main.customer c JOIN lake.main.salary s USING (id);
  CREATE VIEW lake.main.v_deep AS
    SELECT * FROM lake.main.v_pay p WHERE EXISTS (SELECT 1 FROM lake.main.v_orders o WHERE o.ref = p.id);
  CREATE VIEW lake.main.v_const AS SELECT 1 AS id, 2 AS ref, 'constant' AS note;
  CREATE VIEW lake.s1.v_mixed AS FROM lake.s1.audit UNION ALL FROM lake.main.v_const;
  CREATE VIEW lake.s1.v_far AS WITH f AS (FROM pgsrc.public.far) SELECT f.* FROM f ANTI JOIN lake.main.v_orders USING (id)`;
