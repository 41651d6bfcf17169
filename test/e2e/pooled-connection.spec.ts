import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { workedExamples } from '../support/worked-examples';

let manager: TestManager;
let bob: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  await workedExamples(manager);
  bob = await manager.login('bob', 'acme');
  admin = await manager.login('acme-admin', 'acme');
}, 60_000);

afterAll(() => manager.stop());

const run = (client: ApiClient, sql: string) => client.post('/api/sql', { pool: 'etl', sql });

/** What one principal leaves on a connection without a session, and what the next must not find. */
const LEFT: [what: string, left: string, look: string, expected: object][] = [
  ['a variable', "SET VARIABLE secret = 'mine'", "SELECT getvariable('secret')", { rows: [[null]] }],
  ['a temporary table', 'CREATE TEMP TABLE mine AS SELECT 42 AS a', 'SELECT * FROM mine', { error: 'access_denied' }],
  [
    'a temporary view in the place of a table',
    'CREATE TEMP VIEW orders AS SELECT 42 AS o_orderkey',
    'SELECT count(*) FROM orders',
    { rows: [[20]] },
  ],
  ['the search path', 'USE main', 'SELECT current_schema()', { rows: [['tpch1']] }],
];

test.each(LEFT)('B-410: %s of one principal is not there for the next', async (_, left, look, expected) => {
  const before = await run(bob, look);
  // One connection is taken after another: each may be the one that was left.
  for (let i = 0; i < 3; i++) await run(admin, left);
  for (let i = 0; i < 3; i++) {
    const answer = await run(bob, look);
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: before.status,
      body: expected,
    });
  }
});

test('B-410: a prepared statement of one principal is not there for the next', async () => {
  await run(admin, 'PREPARE mine AS SELECT 42');
  expect((await run(bob, 'EXECUTE mine')).status).not.toBe(200);
});
