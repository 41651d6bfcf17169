import { Writable } from 'node:stream';
import { tableFromIPC } from 'apache-arrow';
import { leaseTiming } from '@gadwall/events';
import { InternalProxy } from '../support/internal-proxy';
import { type ApiClient, PASSWORD, startManager, type TestManager } from '../support/manager';
import { eventCount, makeUser } from '../support/tenants';
import { workedExamples, type Workshop } from '../support/worked-examples';

const SECRET = 'hunter2-of-the-test';

let proxy: InternalProxy;
let manager: TestManager;
let made: Workshop;
const clients: Record<string, ApiClient> = {};
const log: string[] = [];
const answers: string[] = [];

beforeAll(async () => {
  proxy = await InternalProxy.start();
  const destination = new Writable({
    write(chunk: Buffer, _, done) {
      log.push(chunk.toString());
      done();
    },
  });
  manager = await startManager({
    nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' },
    internal: proxy.internal,
    leases: leaseTiming({ barrierLimitMs: 1500 }),
    log: { level: 'trace', pretty: false, destination },
  });
  // A server that has just started may have forgotten leases: the first changes wait for longer than the limit.
  let first = await manager.root.post('/api/tenant/create', { id: 'first' });
  while (first.status === 202) first = await manager.root.post('/api/tenant/delete', { name: 'first' });
  made = await workedExamples(manager);
  await makeUser(manager.root, 'globex', 'globex-admin', { kind: 'admin' });
  // May administer, and holds no more than alice does.
  await makeUser(manager.root, 'acme', 'lesser', { kind: 'admin', roles: ['analyst'], groups: ['gadwall_no_pools'] });
  await did('root', 'GRANT CONNECT ON POOL tpch.bi TO USER lesser');
  for (const name of ['alice', 'bob', 'acme-admin', 'lesser']) clients[name] = await manager.login(name, 'acme');
  clients['globex-admin'] = await manager.login('globex-admin', 'globex');
}, 60_000);

afterAll(async () => {
  await manager.stop();
  await proxy.stop();
});

interface Answer {
  status: number;
  body: { columns?: { name: string }[]; rows?: unknown[][]; error?: string; message?: string } & Record<
    string,
    unknown
  >;
  headers: Record<string, string>;
}

async function sql(as: string, statement: string, more: Record<string, unknown> = {}): Promise<Answer> {
  const client = as === 'root' ? manager.root : (clients[as] as ApiClient);
  const answer = await client.post('/api/sql', { tenant: 'acme', pool: 'bi', sql: statement, ...more });
  answers.push(answer.text);
  return answer;
}

/** The detail of a change that must succeed. */
async function did(as: string, statement: string): Promise<unknown> {
  const { status, body } = await sql(as, statement);
  if (status !== 200) throw new Error(`${statement}: ${status} ${JSON.stringify(body)}`);
  expect(body.columns?.map(({ name }) => name)).toEqual(['status', 'detail']);
  expect(body.rows?.[0]?.[0]).toBe('ok');
  return body.rows?.[0]?.[1];
}

async function shown(as: string, statement: string): Promise<unknown[][]> {
  const { status, body } = await sql(as, statement);
  if (status !== 200) throw new Error(`${statement}: ${status} ${JSON.stringify(body)}`);
  return body.rows ?? [];
}

/** Status and code of a refusal that must change nothing. */
async function refused(as: string, statement: string, more: Record<string, unknown> = {}): Promise<[number, string?]> {
  const before = await eventCount(manager);
  const { status, body } = await sql(as, statement, more);
  expect(await eventCount(manager)).toBe(before);
  return [status, body.error];
}

describe('a change is in force when its statement is answered', () => {
  test('grant, and the user’s next statement runs; revoke, and it is refused', async () => {
    const read = () => sql('alice', 'SELECT * FROM lineitem');
    expect((await read()).status).toBe(403);
    await did('acme-admin', 'GRANT SELECT ON TABLE acme_tpch.tpch1.lineitem TO ROLE analyst');
    expect((await read()).status).toBe(200);
    await did('acme-admin', 'REVOKE SELECT ON TABLE acme_tpch.tpch1.lineitem FROM ROLE analyst;');
    expect((await read()).status).toBe(403);
  });

  test('a role taken from a user, and a pool, and given back', async () => {
    const read = async () => (await sql('alice', 'SELECT count(*) FROM orders')).status;
    await did('acme-admin', 'REVOKE ROLE analyst FROM USER alice');
    expect(await read()).toBe(403);
    await did('acme-admin', 'GRANT ROLE analyst TO USER alice');
    expect(await read()).toBe(200);
    await did('acme-admin', 'REVOKE CONNECT ON POOL bi FROM USER alice');
    expect((await sql('alice', 'SELECT 1')).body.error).toBe('pool_forbidden');
    await did('acme-admin', 'GRANT CONNECT ON POOL tpch.bi TO USER alice');
    expect(await read()).toBe(200);
  });

  test('a user disabled is refused, and enabled again is not', async () => {
    await did('acme-admin', 'ALTER USER alice DISABLE');
    expect([401, 403]).toContain((await sql('alice', 'SELECT 1')).status);
    await did('acme-admin', 'ALTER USER alice ENABLE');
    clients.alice = await manager.login('alice', 'acme');
    expect((await sql('alice', 'SELECT 1')).status).toBe(200);
  });

  test('one that is not in force in time says so with 202', async () => {
    await did('root', 'CREATE ROLE late');
    proxy.cut();
    try {
      const { status, body } = await sql('root', 'GRANT SELECT ON nation TO late');
      expect(status).toBe(202);
      expect(body.rows).toEqual([['pending', 'RO on *.*.nation granted to role late']]);
    } finally {
      proxy.mend();
    }
    expect(await shown('root', 'SHOW GRANTS FOR ROLE late')).toHaveLength(1);
    await expect(untilServing()).resolves.toBe(200);
  }, 30_000);

  test('the answer has the policy version that the change made', async () => {
    const before = await sql('root', 'SHOW ROLES');
    const { headers, body } = await sql('root', 'CREATE ROLE versioned');
    const tenantOf = (text = ''): number => Number(/^tenant=(\d+), system=\d+$/.exec(text)?.[1]);
    const version = tenantOf(headers['gadwall-policy-version']);
    expect(version).toBe(tenantOf(before.headers['gadwall-policy-version']) + 1);
    expect(body).toMatchObject({
      kind: 'CREATE',
      policyVersion: { tenant: version },
      rowCount: 1,
      affected: null,
      truncated: false,
    });
  });
});

async function untilServing(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await sql('alice', 'SELECT 1');
    if (status === 200) return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return 0;
}

describe('users', () => {
  test('are made with what is named, log in, change their password, and go', async () => {
    expect(
      await did('acme-admin', `CREATE USER "d'arc" WITH PASSWORD '${SECRET}' ROLES analyst GROUPS "data-eng"`),
    ).toBe("user d'arc created");
    const arc = await manager.login("d'arc", 'acme', SECRET);
    expect((await arc.get('/api/auth/whoami')).body).toMatchObject({ username: "d'arc", tenant: 'acme', admin: false });
    await did('acme-admin', `ALTER USER "d'arc" PASSWORD '${SECRET}-2'`);
    expect((await arc.get('/api/auth/whoami')).status).toBe(401);
    await manager.login("d'arc", 'acme', `${SECRET}-2`);
    await did('acme-admin', `ALTER USER "d'arc" REQUIRE PASSWORD CHANGE`);
    const login = { username: "d'arc", password: `${SECRET}-2`, tenant: 'acme' };
    expect((await manager.anonymous.post('/api/auth/login', login)).body.error).toBe('password_change_required');
    await did('acme-admin', `DROP USER "d'arc"`);
    expect(await refused('acme-admin', `DROP USER "d'arc"`)).toEqual([404, 'not_found']);
    expect(await did('acme-admin', `DROP USER IF EXISTS "d'arc"`)).toBe('nothing to change');
    await did('acme-admin', `CREATE USER "d'arc" PASSWORD '${SECRET}-3' ROLES analyst GROUPS gadwall_no_pools`);
    await manager.login("d'arc", 'acme', `${SECRET}-3`);
  });

  test('one that exists gets what is named; the password stays', async () => {
    const again = `CREATE USER alice PASSWORD '${SECRET}' ROLES qod_no_tables`;
    expect(await did('acme-admin', again)).toContain('was there already: memberships were attached');
    expect(await did('acme-admin', again)).toContain('was there already: nothing to attach');
    await manager.login('alice', 'acme', PASSWORD);
  });

  test('are made whole or not at all', async () => {
    const statement = `CREATE USER half PASSWORD '${SECRET}' ROLES analyst, nope`;
    expect(await refused('acme-admin', statement)).toEqual([400, 'unknown_role']);
    const { rows } = await manager.db.query("SELECT 1 FROM user_profile WHERE username = 'half'");
    expect(rows).toEqual([]);
  });

  test('nobody drops or disables their own account', async () => {
    expect(await refused('acme-admin', 'DROP USER "acme-admin"')).toEqual([400, 'cannot_delete_self']);
    expect(await refused('acme-admin', 'ALTER USER "acme-admin" DISABLE')).toEqual([400, 'cannot_lock_self']);
  });

  test('a superuser is no user of the tenant, and none is made', async () => {
    expect(await refused('root', 'DROP USER admin')).toEqual([404, 'not_found']);
    expect(await refused('root', `CREATE USER x PASSWORD '${SECRET}' SUPERUSER`)).toEqual([400, 'sql_error']);
    await did('root', `CREATE USER x PASSWORD '${SECRET}' ADMIN`);
    const { rows } = await manager.db.query(
      "SELECT u.tenant, u.kind FROM app_user u JOIN user_profile p ON p.user_id = u.id WHERE p.username = 'x'",
    );
    expect(rows).toEqual([{ tenant: 'acme', kind: 'admin' }]);
  });

  test.each([`CREATE USER y PASSWORD ' '`, `ALTER USER alice PASSWORD ''`])('%s: a blank password', async (text) =>
    expect(await refused('acme-admin', text)).toEqual([400, 'invalid_user']),
  );
});

describe('who may', () => {
  test.each([
    'GRANT SELECT ON TABLE lineitem TO ROLE analyst',
    'GRANT nonsense',
    'CREATE ROLE',
    'SHOW ROLES',
    'SHOW GRANTS FOR USER alice',
    '/**/ revoke ROLE analyst FROM USER bob',
    `CREATE USER eve PASSWORD '${SECRET}`,
  ])('%s by a user who is no administrator: admin_required, and nothing of the text', async (text) => {
    const before = await eventCount(manager);
    const { status, body } = await sql('alice', text);
    expect([status, body]).toEqual([
      403,
      { error: 'admin_required', message: 'this call is for administrators', queryId: body.queryId },
    ]);
    expect(await eventCount(manager)).toBe(before);
  });

  test('the refusal is in the audit log', async () => {
    const { rows } = await manager.db.query(
      "SELECT family, action, detail FROM audit WHERE actor = $1 AND detail->>'code' = 'admin_required'",
      [made.users.alice],
    );
    expect(rows).toContainEqual({
      family: 'control-plane',
      action: 'sql.denied',
      detail: { code: 'admin_required', rule: null },
    });
  });

  test('an administrator of another tenant', async () => {
    for (const text of ['CREATE ROLE theirs', 'SHOW USERS', 'DROP USER alice']) {
      expect(await refused('globex-admin', text)).toEqual([403, 'tenant_forbidden']);
    }
  });

  test('an administrator on a pool that they may not use', async () => {
    expect(await refused('lesser', 'SHOW ROLES', { pool: 'etl' })).toEqual([403, 'pool_forbidden']);
  });

  test('Q-M05: an administrator gives no more than they hold, as over REST', async () => {
    await did('root', 'CREATE ROLE narrow');
    await did('root', 'CREATE GROUP wide');
    await did('root', 'GRANT ROLE tenant_admin TO GROUP wide');
    for (const text of [
      'GRANT SELECT ON lineitem TO narrow',
      'GRANT INSERT ON acme_tpch.tpch1.orders TO narrow',
      'GRANT ROLE tenant_admin TO USER bob',
      'GRANT ROLE tenant_admin TO USER lesser',
      'ALTER GROUP wide ADD USER bob',
      'GRANT CONNECT ON POOL etl TO USER lesser',
      'GRANT CONNECT ON POOL * TO USER bob',
      `CREATE USER heir PASSWORD '${SECRET}'`,
      `CREATE USER heir PASSWORD '${SECRET}' ROLES tenant_admin GROUPS gadwall_no_pools`,
      `ALTER USER "acme-admin" PASSWORD '${SECRET}'`,
    ]) {
      expect([text, await refused('lesser', text)]).toEqual([text, [403, 'grant_not_held']]);
    }
    // What is new must reach somebody to be more than they had.
    await did('root', 'GRANT ROLE narrow TO USER bob');
    await did('lesser', 'GRANT SELECT ON acme_tpch.tpch1.orders TO narrow');
    expect(await shown('root', 'SHOW GRANTS FOR ROLE narrow')).toMatchObject([
      [expect.any(String), 'acme_tpch', 'tpch1', 'orders', 'RO'],
    ]);
  });

  test('Q-M08: built-ins stay as they are', async () => {
    expect(await refused('root', 'DROP ROLE qod_all_tables')).toEqual([409, 'builtin_protected']);
    expect(await refused('root', 'GRANT ROLE analyst TO GROUP gadwall_all_pools')).toEqual([409, 'builtin_protected']);
  });
});

describe('what is refused', () => {
  test('Q-M61: a table grant to a user, with what would be right', async () => {
    const { status, body } = await sql('acme-admin', 'GRANT SELECT ON TABLE customer TO USER bob');
    expect([status, body.error]).toEqual([400, 'sql_error']);
    expect(body.message).toBe(
      'line 1, column 35: tables are granted to roles, not to a user: GRANT … TO ROLE r, then GRANT ROLE r TO USER …',
    );
  });

  test('Q-M62: a quoted star is no wildcard', async () => {
    const { status, body } = await sql('acme-admin', 'GRANT SELECT ON "*" TO analyst');
    expect([status, body.error]).toEqual([400, 'sql_error']);
    expect(body.message).toContain('a "*" in quotes is no wildcard');
  });

  test('a text that is no statement, with the place', async () => {
    const { status, body } = await sql('acme-admin', 'CREATE ROLE\n  one two');
    expect([status, body.error, body.message]).toEqual([
      400,
      'sql_error',
      'line 2, column 7: the end of the statement expected',
    ]);
  });

  test('two statements at once, in whatever order', async () => {
    expect(await refused('root', 'CREATE ROLE a1; CREATE ROLE a2')).toEqual([400, 'sql_error']);
    expect(await refused('root', 'SELECT 1; CREATE ROLE a2')).toEqual([400, 'single_statement_required']);
  });

  test('parameters', async () => {
    expect(await refused('root', 'CREATE ROLE a1', { parameters: ['x'] })).toEqual([400, 'invalid_parameters']);
  });

  test('policies that break a rule, or whose names stand for nothing', async () => {
    const rows = 'CREATE ROW POLICY ON customer FOR ROLE analyst USING';
    expect(await refused('root', `${rows} (EXISTS (SELECT 1))`)).toEqual([400, 'invalid_policy']);
    expect(await refused('root', `${rows} (a /* b */ = 1)`)).toEqual([400, 'sql_error']);
    expect(await refused('root', `${rows} (a = 1; b)`)).toEqual([400, 'sql_error']);
    expect(await refused('root', 'DROP ROW POLICY ON customer FOR ROLE analyst')).toEqual([404, 'not_found']);
    expect(await refused('root', 'SHOW COLUMN POLICIES FOR ROLE nope')).toEqual([404, 'not_found']);
    expect(await refused('bob', 'SHOW ROW POLICIES', { pool: 'etl' })).toEqual([403, 'admin_required']);
  });

  test('a session of another, or of another pool', async () => {
    const answer = await (clients.bob as ApiClient).post('/api/session', { tenant: 'acme', pool: 'etl' });
    const { session } = answer.body as { session: string };
    expect(await refused('acme-admin', 'CREATE ROLE a1', { session, pool: 'etl' })).toEqual([404, 'not_found']);
  });
});

test('a statement is no part of the transaction that its session has open', async () => {
  const pool = 'etl';
  const open = await (clients['acme-admin'] as ApiClient).post('/api/session', { tenant: 'acme', pool });
  const { session } = open.body as { session: string };
  const run = (text: string) => sql('acme-admin', text, { session, pool });
  expect((await run('BEGIN')).status).toBe(200);
  expect((await run('CREATE ROLE stays')).status).toBe(200);
  expect((await run('ROLLBACK')).status).toBe(200);
  expect((await shown('root', 'SHOW ROLES')).map(([, name]) => name)).toContain('stays');
});

test('names in quotes are names, whatever they hold', async () => {
  const odd = `x'; DROP ROLE "analyst"; --`;
  const quoted = `"${odd.replaceAll('"', '""')}"`;
  await did('root', `CREATE ROLE ${quoted}`);
  await did('root', `GRANT SELECT ON "a.b"."c'd" TO ${quoted}`);
  expect(await shown('root', `SHOW GRANTS FOR ROLE ${quoted}`)).toEqual([
    [expect.any(String), '*', 'a.b', "c'd", 'RO'],
  ]);
  const names = (await shown('root', 'SHOW ROLES')).map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(['analyst', odd]));
  await did('root', `DROP ROLE ${quoted}`);
});

describe('SHOW', () => {
  test('roles, groups and users, as REST lists them', async () => {
    const { body } = await manager.root.get('/api/role/list?tenant=acme');
    const roles = (body as { roles: { id: string; name: string; description: string | null }[] }).roles;
    expect(await shown('lesser', 'SHOW ROLES')).toEqual(roles.map((role) => [role.id, role.name, role.description]));
    expect((await shown('lesser', 'SHOW GROUPS')).map(([, name]) => name)).toEqual(
      expect.arrayContaining(['data-eng', 'gadwall_all_pools']),
    );
    const users = await shown('lesser', 'SHOW USERS');
    expect(users).toContainEqual([made.users.alice, 'alice', 'user', true, null]);
    expect(users.map(([, name]) => name)).not.toContain('globex-admin');
    expect(users.map(([, name]) => name)).not.toContain('admin');
  });

  test('a description that was given over REST', async () => {
    const { id } = await manager.root.done<{ id: string }>('/api/role/create', {
      tenant: 'acme',
      name: 'described',
      description: 'who reads',
    });
    expect(await shown('root', 'SHOW ROLES')).toContainEqual([id, 'described', 'who reads']);
  });

  test('grants of a role and of a user, and what a user may in the end', async () => {
    const dba = [expect.any(String), 'acme_tpch', 'tpch1', '*', 'DDL'];
    expect(await shown('root', 'SHOW GRANTS FOR ROLE dba')).toEqual([dba]);
    expect(await shown('root', 'SHOW GRANTS FOR USER alice')).toHaveLength(4);
    expect(await shown('root', 'SHOW EFFECTIVE GRANTS FOR USER bob')).toEqual(
      expect.arrayContaining([
        ['dba', 'data-eng', 'acme_tpch', 'tpch1', '*', 'DDL', 'allow'],
        ['etl', 'data-eng', 'acme_tpch', 'tpch1', 'lineitem', 'RW', 'allow'],
      ]),
    );
  });

  test('pool grants, of all and of one', async () => {
    await did('root', 'GRANT CONNECT ON POOL bi TO GROUP "data-eng"');
    const all = await shown('root', 'SHOW POOL GRANTS');
    expect(all).toContainEqual([expect.any(String), made.pools.etl, 'bob', null]);
    expect(all).toContainEqual([expect.any(String), made.pools.bi, null, 'data-eng']);
    expect(all).toContainEqual([expect.any(String), null, null, 'gadwall_all_pools']);
    expect(await shown('root', 'SHOW POOL GRANTS FOR USER bob')).toEqual([
      [expect.any(String), made.pools.etl, 'bob', null],
    ]);
    expect(await shown('root', 'SHOW POOL GRANTS FOR GROUP "data-eng"')).toHaveLength(1);
  });

  test('of what is not there', async () => {
    expect(await refused('root', 'SHOW GRANTS FOR ROLE nope')).toEqual([404, 'not_found']);
    expect(await refused('root', 'SHOW EFFECTIVE GRANTS FOR USER globex-admin')).toEqual([400, 'sql_error']);
    expect(await refused('root', 'SHOW EFFECTIVE GRANTS FOR USER "globex-admin"')).toEqual([404, 'not_found']);
  });

  test('and every other kind of statement is told by its first word', async () => {
    const kindOf = async (text: string) => (await sql('root', text)).body.kind;
    expect(await kindOf('show pool grants')).toBe('SHOW');
    expect(await kindOf('/**/ alter GROUP "data-eng" ADD USER bob')).toBe('ALTER');
    expect(await kindOf('GRANT ROLE etl TO GROUP "data-eng"')).toBe('GRANT');
  });

  test('tables are the engine’s still', async () => {
    expect((await sql('root', 'SHOW TABLES')).body.columns?.map(({ name }) => name)).not.toContain('id');
    expect((await sql('alice', 'SHOW "users"')).body.error).not.toBe('admin_required');
  });

  test('in CSV and in Arrow, and cut at a limit of rows', async () => {
    const ask = (accept: string, more: Record<string, unknown> = {}) =>
      manager.root
        .post('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SHOW USERS', ...more })
        .set('Accept', accept)
        .buffer(true)
        .parse((response, done) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => done(null, Buffer.concat(chunks)));
        });
    const csv = await ask('text/csv');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = (csv.body as Buffer).toString().split('\r\n');
    expect(lines[0]).toBe('id,username,kind,enabled,email');
    expect(lines).toContain(`${made.users.alice},alice,user,true,`);
    const arrow = await ask('application/vnd.apache.arrow.stream');
    const table = tableFromIPC(arrow.body as Buffer);
    expect(table.schema.fields.map(({ name, type }) => `${name} ${String(type)}`)).toEqual([
      'id Utf8',
      'username Utf8',
      'kind Utf8',
      'enabled Bool',
      'email Utf8',
    ]);
    const alice = table.toArray().find((row) => (row as { username: string }).username === 'alice') as object;
    expect({ ...alice }).toEqual({ id: made.users.alice, username: 'alice', kind: 'user', enabled: true, email: null });
    expect((await sql('root', 'SHOW USERS', { maxRows: 2 })).body).toMatchObject({ rowCount: 2, truncated: true });
  });
});

test('no password is in a log, an event, an audit record or an answer', async () => {
  for (const text of [
    `CREATE USER leak PASSWORD ${SECRET}`,
    `CREATE USER leak PASSWORD '${SECRET}`,
    `CREATE USER leak '${SECRET}'`,
    `ALTER USER nobody PASSWORD '${SECRET}'`,
    `ALTER USER alice PASSWORD '${SECRET}' '${SECRET}'`,
    `ALTER USER alice PASSWORD "${SECRET}"`,
    `CREATE USER leak PASSWORD '${SECRET}' ROLES nope`,
  ]) {
    expect((await refused('acme-admin', text))[0]).toBeGreaterThanOrEqual(400);
    expect((await refused('alice', text))[0]).toBe(403);
  }
  const { rows: audits } = await manager.db.query('SELECT * FROM audit');
  const { rows: events } = await manager.db.query('SELECT * FROM event');
  expect(log.join('')).toContain('"path":"/api/sql"');
  const text = [...log, ...answers, JSON.stringify(audits), JSON.stringify(events)].join('\n');
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain('argon2id');
});
