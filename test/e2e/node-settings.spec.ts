import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { workedExamples } from '../support/worked-examples';

let manager: TestManager;
let bob: ApiClient;

beforeAll(async () => {
  manager = await startManager({
    nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '300MB', maxPerUser: 1 },
  });
  await workedExamples(manager);
  bob = await manager.login('bob', 'acme');
}, 60_000);

afterAll(() => manager.stop());

test('what a manager is told of its nodes holds on the nodes that it starts', async () => {
  const slow = 'SELECT count(*) FROM range(100000) a, range(100000) b';
  const asked = ['', ' -- again'].map((comment) => bob.post('/api/sql', { pool: 'etl', sql: slow + comment }));
  const first = await Promise.race(asked);
  for (const request of asked) request.abort();
  expect({ status: first.status, body: first.body as object }).toMatchObject({
    status: 429,
    body: { error: 'too_many_statements' },
  });
});
