import { Writable } from 'node:stream';
import { EventCatalogue, POLICY_PROJECTIONS, rebuild, verify } from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import { PASSWORD, startManager, type TestManager } from '../support/manager';
import { createSecureView, dropSecureView } from '../support/secure-views';
import { makeSuperuser, makeTenant, makeUser, type TenantFixture } from '../support/tenants';

const EMAIL = 'someone@secret.example';
const NEW_PASSWORD = 'pass-phrase-the-second';
const SCRIPT_SECRET = 'zz-script-secret';

/** Every kind of change that the API knows, so that every event type is written at least once. */
async function changeEverything(manager: TestManager): Promise<void> {
  const { root } = manager;
  const acme = await makeTenant(manager, 'acme');
  const { tenant, roleId, groupId, userId, poolId } = acme;
  await root.done('/api/membership/user-role/add', { userId, roleId });
  await root.done('/api/membership/user-group/add', { userId, groupId });
  await root.done('/api/membership/group-role/add', { groupId, roleId });
  await root.done('/api/pool/permission/grant', { tenant, poolId, userId });
  await root.done('/api/user/update', { id: userId, password: NEW_PASSWORD, email: EMAIL, kind: 'admin' });
  await root.done('/api/user/update', { id: userId, enabled: false, mustChangePassword: true });
  await root.done('/api/user/update', { id: userId, enabled: true });
  await changeDatabases(manager, acme);
  await changeMacros(manager, acme);
  await changeSecureViews(manager, acme);
  await changePolicies(manager, acme);
  await changeSources(manager, acme);
  await root.done('/api/membership/group-role/remove', { groupId, roleId });
  await root.done('/api/membership/user-group/remove', { userId, groupId });
  await root.done('/api/membership/user-role/remove', { userId, roleId });
  await root.done('/api/role/permission/revoke', { id: acme.permissionId });
  await root.done('/api/pool/permission/revoke', { id: acme.grantId });
  await root.done('/api/role/delete', { id: roleId });
  await root.done('/api/group/delete', { id: groupId });
  await root.done('/api/user/delete', { id: await makeUser(root, tenant, 'gone') });
  const second = await makeSuperuser(root, 'second');
  await root.done('/api/user/update', { id: second, password: NEW_PASSWORD, email: EMAIL });
  await root.done('/api/user/delete', { id: second });
  await root.done('/api/tenant/setDisabled', { name: tenant, disabled: true });
  await root.done('/api/tenant/setDisabled', { name: tenant, disabled: false });
  await root.done('/api/tenant/setInterruptOnRevoke', { name: tenant, interruptOnRevoke: true });
  // A tenant that is made again goes on with its old stream.
  for (let i = 0; i < 2; i++) {
    await root.done('/api/tenant/create', { id: 'fleeting' });
    await makeUser(root, 'fleeting', 'fly');
    await root.done('/api/tenant/delete', { name: 'fleeting' });
  }
  await makeTenant(manager, 'globex');
}

async function changeSources({ root }: TestManager, { tenant }: TenantFixture): Promise<void> {
  await root.done('/api/database/create', { tenant, name: 'reaching', kind: 'memory' });
  const path = `/api/tenants/${tenant}/tenant-dbs/reaching/federated-sources`;
  for (const alias of ['kept', 'gone']) {
    const made = await root.post(path, { alias, config: { path: `/data/${alias}` } });
    if (made.status !== 201) throw new Error(made.text);
    if (alias === 'gone') await root.send('delete', `${path}/gone`);
  }
}

async function changePolicies({ root }: TestManager, { roleId, database }: TenantFixture): Promise<void> {
  const place = { roleId, catalogName: database, schemaName: 'main' };
  for (const tableName of ['kept', 'gone']) {
    const column = await root.done<{ id: string }>('/api/role/column-policy/create', {
      ...{ ...place, tableName, columnName: 'Phone', action: 'mask', transformSql: "'***'" },
    });
    await root.done('/api/role/column-policy/update', {
      id: column.id,
      action: 'mask',
      transformSql: 'left(phone, 3)',
    });
    const row = await root.done<{ id: string }>('/api/role/row-policy/create', {
      ...{ ...place, tableName, predicateSql: 'owner = ${user}' },
    });
    await root.done('/api/role/row-policy/update', { id: row.id, predicateSql: 'team IN (${groups})' });
    if (tableName === 'kept') continue;
    await root.done('/api/role/column-policy/delete', { id: column.id });
    await root.done('/api/role/row-policy/delete', { id: row.id });
  }
}

async function changeMacros({ root }: TestManager, { tenant, database: catalog }: TenantFixture): Promise<void> {
  for (const name of ['kept', 'gone']) {
    const { body } = await root.post('/api/macro/admit', { tenant, catalog, schema: 'main', name });
    if (name === 'gone') await root.done('/api/macro/withdraw', { tenant, id: (body as { id: string }).id });
  }
}

async function changeSecureViews(manager: TestManager, { tenant, database: catalog }: TenantFixture): Promise<void> {
  for (const name of ['kept', 'gone']) {
    const view = { catalog, schema: 'main', name, body: `SELECT a FROM ${catalog}.main.t`, columns: ['a'] };
    const bases = [{ catalog, schema: 'main', name: 't', kind: 'table' as const }];
    const viewId = await createSecureView(manager, tenant, { ...view, bases });
    await createSecureView(manager, tenant, {
      ...view,
      body: 'SELECT 1 AS "a", 2 AS "é"',
      columns: ['a', 'é'],
      bases: [],
    });
    if (name === 'gone') await dropSecureView(manager, tenant, viewId);
  }
}

async function changeDatabases({ root }: TestManager, { tenant, database }: TenantFixture): Promise<void> {
  const initSql = `CREATE SECRET (PASSWORD '${SCRIPT_SECRET}')`;
  const setup = { initSql, metastore: { password: SCRIPT_SECRET }, objectStore: { key: SCRIPT_SECRET } };
  await root.done('/api/database/create', { tenant, name: 'more', kind: 'ducklake', ...setup });
  await root.done('/api/database/update', { tenant, name: 'more', defaultDatabase: 'renamed', initSql });
  const pool = { tenant, tenantDb: 'more', pool: 'etl' };
  await root.done('/api/pool/create', { ...pool, size: 2, initSql, maxRows: 9_007_199_254_740_991 });
  await root.done('/api/pool/scale', { ...pool, targetSize: 3 });
  await root.done('/api/pool/stop', pool);
  await root.done('/api/pool/setDisabled', { ...pool, disabled: true });
  await root.done('/api/pool/setDisabled', { ...pool, disabled: false });
  await root.done('/api/pool/delete', pool);
  await root.done('/api/database/delete', { tenant, name: 'more' });
  await root.done('/api/pool/setDisabled', { tenant, tenantDb: database, pool: 'bi', disabled: false });
}

describe('the log of events', () => {
  let manager: TestManager;
  const lines: string[] = [];
  const answers: string[] = [];

  beforeAll(async () => {
    const destination = new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    manager = await startManager({ log: { level: 'trace', pretty: false, destination } });
    await changeEverything(manager);
    await failInManyWays();
  });
  afterAll(() => manager.stop());

  async function failInManyWays(): Promise<void> {
    for (const [path, body] of [
      ['/api/auth/login', { username: 'boss', password: `${PASSWORD}!`, tenant: 'acme' }],
      ['/api/auth/login', { username: 'boss', password: PASSWORD, tenant: 'acme', extra: PASSWORD }],
      ['/api/auth/change-password', { username: 'boss', currentPassword: PASSWORD, newPassword: ' ', tenant: 'acme' }],
      ['/api/user/create', { tenant: 'acme', username: '', password: PASSWORD, email: EMAIL }],
      ['/api/user/create', { tenant: 'nowhere', username: 'x', password: PASSWORD }],
      ['/api/user/create', { tenant: 'acme', username: 'x', password: PASSWORD, roles: ['nope'] }],
      ['/api/database/create', { tenant: 'acme', name: 'x', kind: PASSWORD, initSql: SCRIPT_SECRET }],
    ] as const) {
      answers.push((await manager.root.post(path, body)).text);
    }
    await manager.db.query(
      'CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE unique_violation; END $$',
    );
    await manager.db.query('CREATE TRIGGER fail BEFORE INSERT ON user_credential EXECUTE FUNCTION fail()');
    answers.push((await manager.root.post('/api/user/create', { username: 'x', password: PASSWORD })).text);
    await manager.db.query('DROP TRIGGER fail ON user_credential');
  }

  it('has every event type in it', async () => {
    const { rows } = await manager.db.query<{ type: string }>('SELECT DISTINCT type FROM event ORDER BY 1');
    expect(rows.map((row) => row.type)).toEqual(Object.keys(POLICY_EVENTS).sort());
  });

  it('invariant 8: a replay from empty gives the same tables, byte for byte', async () => {
    const catalogue = new EventCatalogue(POLICY_EVENTS);
    const { differences, events, tables } = await rebuild(manager.db, POLICY_PROJECTIONS, { catalogue });
    expect(differences).toEqual([]);
    expect(events).toBeGreaterThan(60);
    expect(tables['app_user']).toBeGreaterThan(3);
  });

  it('has unbroken chains', async () => {
    expect((await verify(manager.db)).problems).toEqual([]);
  });

  it('names actor and request of every event', async () => {
    const { rows } = await manager.db.query<{ actor_kind: string; n: string }>(
      "SELECT actor_kind, count(*) AS n FROM event WHERE request_id <> '' GROUP BY 1 ORDER BY 1",
    );
    expect(rows.map((row) => row.actor_kind)).toEqual(['api-key', 'system']);
  });

  it('invariant 12: no secret and no name in events', async () => {
    const { rows } = await manager.db.query<{ data: string }>('SELECT data FROM event');
    const { rows: hashes } = await manager.db.query<{ password_hash: string }>(
      'SELECT password_hash FROM user_credential',
    );
    const text = rows.map((row) => row.data).join('\n');
    for (const secret of [PASSWORD, NEW_PASSWORD, EMAIL, SCRIPT_SECRET, 'argon2', 'ordinary', 'boss']) {
      expect(text).not.toContain(secret);
    }
    for (const { password_hash: hash } of hashes) expect(text).not.toContain(hash);
  });

  it('invariant 12: no secret in logs, audit records and error answers', async () => {
    const { rows } = await manager.db.query('SELECT * FROM audit');
    expect(rows.length).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.join('')).toContain('"path":"/api/user/create"');
    const { rows: sessions } = await manager.db.query<{ id: string }>('SELECT id FROM session');
    const text = [...lines, ...answers, JSON.stringify(rows)].join('\n');
    const secrets = [PASSWORD, NEW_PASSWORD, EMAIL, SCRIPT_SECRET, 'argon2id', 'key-of-the-test', 'gws_'];
    for (const secret of [...secrets, ...sessions.map((session) => session.id)]) expect(text).not.toContain(secret);
  });

  it('answers errors with code and message alone', () => {
    expect(answers).toHaveLength(8);
    for (const answer of answers) {
      expect(Object.keys(JSON.parse(answer) as object).sort()).toEqual(['error', 'message']);
      expect(answer).not.toMatch(/\n\s+at |\.ts:|SELECT|INSERT|node_modules/);
    }
  });
});
