import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { type Workshop, workedExamples } from '../support/worked-examples';

/** The lines of cases/conformance/not-sql*.md that are about policies, on a real manager and node. */
let manager: TestManager;
let made: Workshop;
let alice: ApiClient;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  made = await workedExamples(manager);
  alice = await manager.login('alice', 'acme');
  await manager.root.done('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT 1' });
}, 60_000);
afterAll(() => manager.stop());

const CUSTOMER = { catalogName: 'acme_tpch', schemaName: 'tpch1', tableName: 'customer' };
const mask = (transformSql: string) =>
  manager.root.post('/api/role/column-policy/create', {
    ...{ roleId: made.roles.analyst, ...CUSTOMER, columnName: 'c_name', action: 'mask' },
    transformSql,
  });
const rows = (predicateSql: string) =>
  manager.root.post('/api/role/row-policy/create', { roleId: made.roles.analyst, ...CUSTOMER, predicateSql });
const policies = async (kind: 'row' | 'column') => {
  const { body } = await manager.root.get(`/api/role/${kind}-policy/list?roleId=${made.roles.analyst}`);
  return (body as { policies: { id: string }[] }).policies;
};
const asAlice = (sql: string) => alice.post('/api/sql', { tenant: 'acme', pool: 'bi', sql });

test.each([
  ['Q-M26: a mask over another column', 'concat(c_name, c_phone)'],
  ['Q-M27: a mask that is a subquery', '(SELECT 1)'],
  ['Q-M29: a mask that reads a file', "read_csv('x')"],
  ['Q-M29: a mask that calls a pragma', 'pragma_x()'],
  ['Q-M29: a mask that reads a setting', "current_setting('x')"],
  ['Q-M30: a mask of 1025 characters', `'${'x'.repeat(1023)}'`],
])('%s is no policy', async (_, text) => {
  const { status, body } = await mask(text);
  expect({ status, ...body }).toMatchObject({ status: 400, error: 'invalid_policy' });
  expect(await policies('column')).toEqual([]);
});

test.each([
  ['Q-M33, B-182: a subquery', "c_name IN (SELECT 'x')"],
  ['Q-M33, B-182: EXISTS', 'EXISTS (SELECT 1)'],
  ['Q-M33: a function that is refused', "c_name = current_setting('x')"],
  ['Q-M33: over 1024 characters', `c_name = '${'x'.repeat(1030)}'`],
  ['Q-M35: a token that is none', 'c_name = ${nope}'],
  ['B-168: a function that is not pure', "c_name = getvariable('region')"],
])('%s makes no row policy', async (_, text) => {
  const { status, body } = await rows(text);
  expect({ status, ...body }).toMatchObject({ status: 400, error: 'invalid_policy' });
  expect(await policies('row')).toEqual([]);
});

test('Q-M34, Q-M35: a literal is no subquery, and a token of the reader is one', async () => {
  for (const text of ["c_name = 'select one'", 'c_name = ${user}']) expect((await rows(text)).status).toBe(200);
  // Q-M36: the second one took the place of the first.
  expect(await policies('row')).toMatchObject([{ predicateSql: 'c_name = ${user}' }]);
});

test('a policy is in force at the next statement when the call that made, changed or deleted it returns', async () => {
  const count = async () => {
    const { body } = await asAlice('SELECT count(*), max(c_name) FROM customer');
    return (body as { rows: [number, string][] }).rows[0];
  };
  for (const { id } of await policies('row')) await manager.root.done('/api/role/row-policy/delete', { id });
  const [all] = (await count()) ?? [];
  for (let round = 0; round < 10; round++) {
    const { id } = (await rows(`c_custkey <= ${round}`)).body as { id: string };
    expect((await count())?.[0]).toBe(round);
    await manager.root.done('/api/role/row-policy/update', { id, predicateSql: `c_custkey > ${round}` });
    expect((await count())?.[0]).toBe(Number(all) - round);
    const masked = (await mask("'masked'")).body as { id: string };
    expect((await count())?.[1]).toBe('masked');
    await manager.root.done('/api/role/column-policy/delete', { id: masked.id });
    expect((await count())?.[1]).not.toBe('masked');
    await manager.root.done('/api/role/row-policy/delete', { id });
    expect((await count())?.[0]).toBe(all);
  }
}, 60_000);

test('Q-I36: a predicate in the store that is none shows nothing of the table', async () => {
  const { id } = (await rows("c_mktsegment = 'BUILDING'")).body as { id: string };
  expect((await asAlice('SELECT count(*) FROM customer')).status).toBe(200);
  await manager.db.query('UPDATE role_row_policy SET canonical_sql = $1 WHERE id = $2', ['c_mktsegment = (', id]);
  // What a manager holds in memory it has read at its start.
  const again = await startManager(
    { nodes: { start: true, drainMs: 500, threads: 1, memoryLimit: '512MB' } },
    manager.database,
  );
  try {
    const reader = await again.login('alice', 'acme');
    const { status, body } = await reader.post('/api/sql', {
      tenant: 'acme',
      pool: 'bi',
      sql: 'SELECT * FROM customer',
    });
    expect({ status, ...(body as object) }).toMatchObject({ status: 403, error: 'access_denied' });
    expect(JSON.stringify(body)).not.toContain('c_mktsegment = (');
  } finally {
    await again.stop();
  }
}, 60_000);
