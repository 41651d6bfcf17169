import { EventCatalogue, listEvents, POLICY_PROJECTIONS, rebuild, verify } from '@gadwall/events';
import { mintHandle, POLICY_EVENTS, secureViewHash } from '@gadwall/rbac';
import { Gate } from '../../apps/manager/src/effective-set';
import { NodeFleet } from '../../apps/manager/src/nodes';
import { type ApiClient, startManager, type TestManager } from '../support/manager';
import { type Workshop, workedExamples } from '../support/worked-examples';

let manager: TestManager;
let made: Workshop;
const clients: Record<string, ApiClient> = {};
const by = (name: string): ApiClient => clients[name] as ApiClient;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  made = await workedExamples(manager);
  clients.root = manager.root;
  for (const name of ['alice', 'acme-admin']) clients[name] = await manager.login(name, 'acme');
  expect(await rows('root', 'INSERT INTO lineitem VALUES (1, 11), (2, 22)')).toBeDefined();
  for (const name of ['sv', 'other', 'nested']) {
    const grant = { catalog: 'acme_tpch', schema: 'tpch1', table: name, verb: 'RO' };
    await manager.root.done('/api/role/permission/grant', { roleId: made.roles.analyst, ...grant });
  }
}, 60_000);

afterAll(() => manager.stop());

const sql = (as: string, text: string, session?: string) =>
  by(as).post('/api/sql', { tenant: 'acme', pool: 'bi', sql: text, session });
const rows = async (as: string, text: string, session?: string) => {
  const { status, body } = await sql(as, text, session);
  const { rows: values, message } = body as { rows?: unknown; message?: string };
  return status === 200 ? values : message;
};
const listed = async (as: string) =>
  ((await by(as).get('/api/secure-view/list?tenant=acme')).body as { secureViews: Record<string, unknown>[] })
    .secureViews;

const SV = 'acme_tpch.tpch1.sv';
const BASE = 'acme_tpch.tpch1.lineitem';
const CREATE = `CREATE SECURE VIEW ${SV} AS SELECT l_custkey AS k FROM ${BASE} WHERE l_orderkey = 1`;
const MISSING = 'user:alice lacks grants on acme_tpch.tpch1.lineitem:read';

afterEach(async () => {
  for (const name of ['nested', 'other', 'sv']) await sql('root', `DROP SECURE VIEW IF EXISTS acme_tpch.tpch1.${name}`);
});

test('is read when the call that makes it returns, is another when it is made anew, and none when it is dropped', async () => {
  const base = await rows('alice', 'SELECT * FROM lineitem');
  expect(base).toBe(MISSING);
  for (let round = 0; round < 3; round++) {
    const answer = await sql('root', CREATE);
    expect([answer.status, answer.body.kind, answer.body.rows]).toEqual([
      200,
      'CREATE',
      [['ok', `secure view ${SV} created`]],
    ]);
    expect(await rows('alice', 'SELECT * FROM sv')).toEqual([[11]]);
    expect(await rows('root', 'SELECT * FROM sv')).toEqual([[11]]);
    const replace = CREATE.replace('SECURE', 'OR REPLACE SECURE').replace('= 1', '= 2');
    expect(await rows('root', replace)).toEqual([['ok', `secure view ${SV} changed`]]);
    expect(await rows('alice', 'SELECT * FROM sv')).toEqual([[22]]);
    expect(await rows('root', replace)).toEqual([['ok', 'nothing to change']]);
    expect(await rows('root', `DROP SECURE VIEW ${SV}`)).toEqual([['ok', `secure view ${SV} dropped`]]);
    expect(await rows('alice', 'SELECT * FROM sv')).toMatch(/does not exist/);
    expect(await rows('alice', 'SELECT * FROM lineitem')).toBe(MISSING);
  }
});

test('stands on another one, and is listed with what it stands for to administrators', async () => {
  await sql('root', CREATE);
  expect(
    await rows('root', `CREATE SECURE VIEW acme_tpch.tpch1.nested AS SELECT k + 1 AS n FROM ${SV} -- of the other`),
  ).toEqual([['ok', 'secure view acme_tpch.tpch1.nested created']]);
  expect(await rows('alice', 'SELECT n FROM nested')).toEqual([[12]]);
  const place = { tenant: 'acme', catalog: 'acme_tpch', schema: 'tpch1' };
  const views = [
    { ...place, name: 'nested', columns: ['n'], bases: [{ name: 'sv', kind: 'view' }] },
    { ...place, name: 'sv', columns: ['k'], bases: [{ name: 'lineitem', kind: 'table' }] },
  ];
  expect(await listed('acme-admin')).toMatchObject(views);
  expect((await by('alice').get('/api/secure-view/list?tenant=acme')).status).toBe(403);
  await sql('root', `DROP SECURE VIEW ${SV}`);
  expect(await rows('alice', 'SELECT n FROM nested')).toMatch(/nested has changed since it was made/);
});

test('is made by superusers alone', async () => {
  const refused = await sql('acme-admin', CREATE);
  expect([refused.status, refused.body.error]).toEqual([403, 'superuser_required']);
  expect((await sql('alice', CREATE)).body.error).toBe('admin_required');
  expect(await listed('root')).toEqual([]);
  expect(await rows('root', "SELECT count(*) FROM duckdb_views() WHERE view_name = 'sv'")).toEqual([[0]]);
  await sql('root', CREATE);
  const dropped = await sql('acme-admin', `DROP SECURE VIEW ${SV}`);
  expect([dropped.status, dropped.body.error]).toEqual([403, 'superuser_required']);
  expect(await rows('alice', 'SELECT * FROM sv')).toEqual([[11]]);
  // One who holds everything in the tenant neither.
  expect((await sql('acme-admin', `DROP VIEW ${SV}`)).body).toMatchObject({
    error: 'access_denied',
    rule: 'secure-view',
  });
});

test.each([
  [
    'a name of less than three parts',
    `CREATE SECURE VIEW ${SV} AS SELECT * FROM lineitem`,
    403,
    'access_denied',
    'three parts',
  ],
  [
    'what there is not',
    `CREATE SECURE VIEW ${SV} AS SELECT * FROM acme_tpch.tpch1.nosuch`,
    403,
    'access_denied',
    'there is no table',
  ],
  ['who reads it', `CREATE SECURE VIEW ${SV} AS SELECT current_user AS u`, 403, 'access_denied', 'whoever reads it'],
  [
    'a name of a catalog of others',
    `CREATE SECURE VIEW globex_db.main.v AS SELECT 1 AS a`,
    400,
    'invalid_secure_view',
    'globex_db',
  ],
  [
    'a column that there is not',
    `CREATE SECURE VIEW ${SV} AS SELECT nosuch FROM ${BASE}`,
    400,
    'invalid_secure_view',
    'nosuch',
  ],
  [
    'the name of a table',
    `CREATE OR REPLACE SECURE VIEW ${BASE} AS SELECT 1 AS a`,
    400,
    'invalid_secure_view',
    'is a table',
  ],
  ['no query', `CREATE SECURE VIEW ${SV} AS`, 400, 'sql_error', 'line 1, column'],
])('with %s it is refused', async (_, text, status, error, message) => {
  const answer = await sql('root', text);
  expect([answer.status, answer.body]).toEqual([
    status,
    expect.objectContaining({ error, message: expect.stringContaining(message) as string }),
  ]);
  if (status === 403) expect(answer.body).toMatchObject({ rule: 'secure-view', objects: [] });
  expect(await listed('root')).toEqual([]);
});

test('is not made twice under one name', async () => {
  await sql('root', CREATE);
  const again = await sql('root', CREATE.replace('= 1', '= 2'));
  expect([again.status, again.body.error]).toEqual([409, 'invalid_secure_view']);
  expect(await rows('alice', 'SELECT * FROM sv')).toEqual([[11]]);
  expect((await sql('root', 'DROP SECURE VIEW acme_tpch.tpch1.nosuch')).status).toBe(404);
  expect(await rows('root', 'DROP SECURE VIEW IF EXISTS acme_tpch.tpch1.nosuch')).toEqual([
    ['ok', 'nothing to change'],
  ]);
});

test('is refused in a session that has set a variable', async () => {
  await sql('root', CREATE);
  const { body } = await by('alice').post('/api/session', { tenant: 'acme', pool: 'bi' });
  const { session } = body as { session: string };
  expect(await rows('alice', 'SELECT * FROM sv', session)).toEqual([[11]]);
  await sql('alice', 'SET VARIABLE x = 1', session);
  expect((await sql('alice', 'SELECT * FROM sv', session)).body).toMatchObject({
    error: 'access_denied',
    rule: 'secure-view',
    message: expect.stringContaining('uses a secure view while the session') as string,
  });
  expect(await rows('alice', 'SELECT * FROM sv')).toEqual([[11]]);
});

test('a view whose text a superuser has changed otherwise is refused until it is made again', async () => {
  await sql('root', CREATE);
  await sql('root', `CREATE OR REPLACE VIEW ${SV} AS SELECT l_custkey AS k FROM ${BASE}`);
  expect(await rows('alice', 'SELECT * FROM sv')).toMatch(/has changed since it was made/);
  await sql('root', CREATE.replace('SECURE', 'OR REPLACE SECURE'));
  expect(await rows('alice', 'SELECT * FROM sv')).toEqual([[11]]);
});

test('a node makes none but what a manager has asked for', async () => {
  const [binding] = await manager.app.get(Gate).bindings('acme');
  const link = manager.app.get(NodeFleet).runningLink(binding!)!;
  const making = {
    view: { catalog: 'acme_tpch', schema: 'tpch1', name: 'sv' },
    query: 'SELECT 1 AS a',
    orReplace: true,
    secureViews: [],
  };
  const content = {
    ...{ userId: 'api-key', nodeId: link.nodeId, tenant: 'acme', poolId: binding!.poolId, setDigest: '' },
    ...{ versions: await manager.app.get(Gate).versions('acme'), timeline: '', session: null },
  };
  const handle = mintHandle(link.key, { ...content, statement: secureViewHash(making) }, Date.now());
  for (const body of [
    {},
    { making },
    { handle: 'x', making },
    { handle, making: { ...making, query: 'SELECT 2 AS a' } },
  ]) {
    const answer = await link.post('/internal/secure-view/make', body, AbortSignal.timeout(5000));
    expect([answer.statusCode, await answer.body.json()]).toEqual([
      401,
      expect.objectContaining({ error: 'handle_refused' }),
    ]);
  }
});

test('every change is an event, from which the tables are made again', async () => {
  await sql('root', CREATE);
  await sql('root', CREATE.replace('SECURE', 'OR REPLACE SECURE').replace('= 1', '= 2'));
  await sql('root', `DROP SECURE VIEW ${SV}`);
  await sql('root', CREATE);
  const catalogue = new EventCatalogue(POLICY_EVENTS);
  const events = await listEvents(manager.db, { stream: 'acme' }, 1000);
  const types = events.map(({ type }) => type).filter((type) => type.startsWith('secure-view'));
  expect([...new Set(types)].sort()).toEqual(
    ['created', 'changed', 'dropped'].map((one) => `secure-view.${one}`).sort(),
  );
  expect((await verify(manager.db)).problems).toEqual([]);
  const { differences, tables } = await rebuild(manager.db, POLICY_PROJECTIONS, { catalogue });
  expect(differences).toEqual([]);
  expect(tables.secure_view).toBe(1);
});
