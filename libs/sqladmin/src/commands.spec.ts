import { decide, DomainError, emptyTenant, evolve, type PolicyCommand, type TenantState } from '@gadwall/rbac';
import {
  accountsOf,
  type ChangeStatement,
  commandsOf,
  type Directory,
  expressionOf,
  isShow,
  parseAdministration,
} from '.';

const SYSTEM = { superuser: true, userId: null };

/** A tenant as statements left it. */
interface World {
  directory: Directory;
  commands: PolicyCommand[];
}

/** Runs statements one after another on a tenant with the user bob, the database lake and the pool sales. */
function after(...texts: string[]): World {
  const state: TenantState = {
    ...emptyTenant('acme'),
    roles: [{ id: 'all-tables', name: 'gadwall_all_tables', builtin: true }],
    groups: [{ id: 'all-pools', name: 'gadwall_all_pools', builtin: true }],
    databases: [
      {
        id: 'd1',
        name: 'lake',
        kind: 'memory',
        defaultDatabase: 'lake',
        defaultSchema: 'main',
        dataPath: null,
        setupVersion: null,
      },
    ],
    pools: [{ id: 'p1', databaseId: 'd1', name: 'sales', size: 1, disabled: false, stopped: false }],
    users: [
      { id: 'bob', kind: 'user', enabled: true, mustChangePassword: false, profileVersion: 1, credentialVersion: 1 },
    ],
  };
  const bob = { id: 'bob', username: 'bob', kind: 'user', enabled: true, email: null };
  let world: World = { directory: { state, accounts: [bob] }, commands: [] };
  let ids = 0;
  for (const text of texts) {
    const statement = changing(text);
    // What an expression's check would give.
    const canonical = expressionOf(statement)?.text.toUpperCase() ?? null;
    const commands = commandsOf(statement, world.directory, () => `id${++ids}`, canonical);
    const evolved = commands.reduce(
      (before, command) => decide(command, before, SYSTEM).reduce(evolve, before),
      world.directory.state,
    );
    world = { directory: { ...world.directory, state: evolved }, commands };
  }
  return world;
}

function changing(text: string): ChangeStatement {
  const statement = parseAdministration(text);
  if (isShow(statement)) throw new Error('changes nothing');
  return statement;
}

const granted = ({ directory }: World): string[] =>
  directory.state.permissions.map(({ catalog, schema, table, verb }) => `${verb} ${catalog}.${schema}.${table}`).sort();

function refusal(...texts: string[]): unknown {
  try {
    after(...texts);
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code, message: error.message };
    throw error;
  }
  return null;
}

describe('given a role', () => {
  test('a GRANT is its permission, once however often it is granted and in whatever case', () => {
    expect(
      granted(after('CREATE ROLE r', 'GRANT SELECT ON lake.main.t TO R', 'GRANT SELECT ON LAKE.main.T TO r')),
    ).toEqual(['RO lake.main.t']);
  });

  test('a REVOKE takes the permission of that verb on these tables, and no other', () => {
    const texts = ['CREATE ROLE r', 'GRANT SELECT ON a TO r', 'GRANT INSERT ON a TO r', 'GRANT SELECT ON b TO r'];
    expect(granted(after(...texts, 'REVOKE SELECT ON A FROM r'))).toEqual(['RO *.*.b', 'RW *.*.a']);
  });

  test('REVOKE ALL takes every permission on these tables', () => {
    const texts = ['CREATE ROLE r', 'GRANT SELECT ON a TO r', 'GRANT DDL ON a TO r', 'GRANT SELECT ON b TO r'];
    const world = after(...texts, 'REVOKE ALL ON a FROM r');
    expect(granted(world)).toEqual(['RO *.*.b']);
    expect(world.commands).toHaveLength(2);
  });

  test('a REVOKE of what is not held says what is', () => {
    expect(refusal('CREATE ROLE r', 'GRANT ALL ON t TO r', 'REVOKE SELECT ON t FROM r')).toEqual({
      code: 'not_found',
      message: 'role r holds no RO on *.*.t: it holds ALL',
    });
    expect(refusal('CREATE ROLE r', 'REVOKE ALL ON t FROM r')).toEqual({
      code: 'not_found',
      message: 'role r holds no ALL on *.*.t',
    });
  });

  test('it reaches users and groups, and is taken from them', () => {
    const given = after('CREATE ROLE r', 'CREATE GROUP g', 'GRANT ROLE r TO USER bob', 'GRANT ROLE r TO GROUP g');
    expect(given.directory.state).toMatchObject({
      userRoles: [{ userId: 'bob', roleId: 'id1' }],
      groupRoles: [{ groupId: 'id2', roleId: 'id1' }],
    });
    const taken = after(
      ...['CREATE ROLE r', 'CREATE GROUP g', 'GRANT ROLE r TO USER bob', 'GRANT ROLE r TO GROUP g'],
      ...['REVOKE ROLE r FROM USER bob', 'REVOKE ROLE r FROM GROUP g'],
    );
    expect(taken.directory.state).toMatchObject({ userRoles: [], groupRoles: [] });
  });

  test('it goes with its permissions', () => {
    const { directory } = after('CREATE ROLE r', 'GRANT SELECT ON t TO r', 'DROP ROLE r');
    expect(directory.state).toMatchObject({ roles: [{ id: 'all-tables' }], permissions: [] });
  });

  test('a second one of the name is refused', () => {
    expect(refusal('CREATE ROLE r', 'CREATE ROLE R')).toMatchObject({ code: 'invalid_role' });
  });
});

test('members come and go', () => {
  expect(after('CREATE GROUP g', 'ALTER GROUP g ADD USER bob').directory.state.userGroups).toEqual([
    { userId: 'bob', groupId: 'id1' },
  ]);
  expect(
    after('CREATE GROUP g', 'ALTER GROUP g ADD USER bob', 'ALTER GROUP g DROP USER bob').directory.state.userGroups,
  ).toEqual([]);
});

describe('pools', () => {
  test.each([
    ['sales', 'p1'],
    ['SALES', 'p1'],
    ['lake.sales', 'p1'],
    ['*', null],
  ])('%s', (pool, poolId) => {
    const [grant] = after(`GRANT CONNECT ON POOL ${pool} TO USER bob`).directory.state.poolPermissions;
    expect(grant).toMatchObject({ poolId, userId: 'bob', groupId: null });
    const texts = [`GRANT CONNECT ON POOL ${pool} TO USER bob`, `REVOKE CONNECT ON POOL ${pool} FROM USER bob`];
    expect(after(...texts).directory.state.poolPermissions).toEqual([]);
  });

  test('one of another database is not there', () => {
    expect(refusal('GRANT CONNECT ON POOL other.sales TO USER bob')).toEqual({
      code: 'not_found',
      message: 'no such pool: other.sales',
    });
  });

  test('a grant that is not held cannot be taken', () => {
    expect(refusal('REVOKE CONNECT ON POOL sales FROM USER bob')).toEqual({
      code: 'not_found',
      message: 'user bob has no grant of its own on pool sales',
    });
  });
});

describe('users', () => {
  test('a new one has what is named, or what every new one has', () => {
    const named = after('CREATE ROLE r', "CREATE USER eve PASSWORD 'x' ADMIN ROLES r GROUPS qod_all_pools");
    expect(named.commands).toEqual([
      {
        type: 'create-user',
        userId: 'id2',
        kind: 'admin',
        mustChangePassword: false,
        roles: ['r'],
        groups: ['qod_all_pools'],
      },
    ]);
    const { state } = after("CREATE USER eve PASSWORD 'x'").directory;
    expect(state.userRoles).toEqual([{ userId: 'id1', roleId: 'all-tables' }]);
    expect(state.userGroups).toEqual([{ userId: 'id1', groupId: 'all-pools' }]);
  });

  test('one that exists gets what is named and nothing else', () => {
    expect(after("CREATE USER bob PASSWORD 'x' ADMIN").commands).toEqual([
      { type: 'recreate-user', userId: 'bob', roles: null, groups: null },
    ]);
  });

  test.each([
    ["ALTER USER bob PASSWORD 'x'", { password: true }],
    ['ALTER USER bob REQUIRE PASSWORD CHANGE', { password: false, mustChangePassword: true }],
    ['ALTER USER bob DISABLE', { password: false, enabled: false }],
    ['ALTER USER bob ENABLE', { password: false, enabled: true }],
  ])('%s', (text, change) => {
    expect(after(text).commands).toEqual([{ type: 'update-user', userId: 'bob', email: false, ...change }]);
  });

  test('no command holds a password', () => {
    const texts = ["CREATE USER eve PASSWORD 'hunter2'", "ALTER USER bob PASSWORD 'hunter2'"];
    for (const text of texts) expect(JSON.stringify(after(text).commands)).not.toContain('hunter2');
  });

  test('names of users keep their case', () => {
    expect(refusal('DROP USER Bob')).toEqual({ code: 'not_found', message: 'no such user: Bob' });
  });
});

test.each([
  ['DROP ROLE nope', 'no such role: nope'],
  ['DROP GROUP nope', 'no such group: nope'],
  ['DROP USER nope', 'no such user: nope'],
  ['GRANT SELECT ON t TO nope', 'no such role: nope'],
  ['GRANT ROLE nope TO USER bob', 'no such role: nope'],
  ['GRANT ROLE gadwall_all_tables TO USER nope', 'no such user: nope'],
  ['GRANT ROLE gadwall_all_tables TO GROUP nope', 'no such group: nope'],
  ['ALTER GROUP nope ADD USER bob', 'no such group: nope'],
  ['GRANT CONNECT ON POOL nope TO USER bob', 'no such pool: nope'],
  ['ALTER USER nope ENABLE', 'no such user: nope'],
])('%s: %s', (text, message) => expect(refusal(text)).toEqual({ code: 'not_found', message }));

test.each(['DROP ROLE IF EXISTS nope', 'DROP GROUP IF EXISTS nope', 'DROP USER IF EXISTS nope'])(
  '%s changes nothing',
  (text) => expect(after(text).commands).toEqual([]),
);

test.each(['DROP ROLE qod_all_tables', 'DROP GROUP gadwall_all_pools', 'GRANT SELECT ON t TO gadwall_all_tables'])(
  '%s: a built-in stays as it is',
  (text) => expect(refusal(text)).toMatchObject({ code: 'builtin_protected' }),
);

describe('policies', () => {
  const rows = 'CREATE ROW POLICY ON main.t FOR ROLE r USING (owner = ${user})';
  const deny = 'CREATE COLUMN POLICY ON lake.main.t COLUMN c FOR ROLE r DENY';
  const mask = "CREATE OR REPLACE COLUMN POLICY ON lake.MAIN.t COLUMN C FOR ROLE R MASK USING ('***')";

  test('are those of REST, with the expression as its check left it', () => {
    const { directory } = after('CREATE ROLE r', rows, deny);
    const text = 'owner = ${user}';
    expect(directory.state.rowPolicies).toEqual([
      {
        ...{ id: 'id2', roleId: 'id1', catalog: '*', schema: 'main', table: 't' },
        ...{ predicateSql: text, canonical: text.toUpperCase() },
      },
    ]);
    expect(directory.state.columnPolicies).toMatchObject([{ column: 'c', action: 'deny', transformSql: null }]);
  });

  test('are replaced in their place where OR REPLACE says so, and else refused', () => {
    const { directory } = after('CREATE ROLE r', deny, mask);
    expect(directory.state.columnPolicies).toMatchObject([
      { id: 'id2', column: 'c', action: 'mask', transformSql: "'***'", canonical: "'***'" },
    ]);
    const again = { code: 'invalid_policy', message: expect.stringContaining('CREATE OR REPLACE') as string };
    expect(refusal('CREATE ROLE r', deny, deny)).toEqual(again);
    expect(refusal('CREATE ROLE r', rows, rows)).toEqual(again);
  });

  test('are dropped by their place', () => {
    const { directory } = after(
      ...['CREATE ROLE r', rows, deny],
      'DROP ROW POLICY ON main.T FOR ROLE r',
      'DROP COLUMN POLICY ON lake.main.t COLUMN c FOR ROLE r',
    );
    expect([directory.state.rowPolicies, directory.state.columnPolicies]).toEqual([[], []]);
  });

  test.each([
    ['DROP ROW POLICY ON t FOR ROLE r', 'role r has no row policy on *.*.t'],
    ['DROP COLUMN POLICY ON main.t COLUMN c FOR ROLE r', 'role r has no policy of column c on *.main.t'],
    ['DROP ROW POLICY IF EXISTS ON t FOR ROLE nope', 'no such role: nope'],
    ['CREATE ROW POLICY ON t FOR ROLE nope USING (true)', 'no such role: nope'],
  ])('%s: %s', (text, message) => {
    expect(refusal('CREATE ROLE r', text)).toEqual({ code: 'not_found', message });
  });

  test('that are not there are no matter where IF EXISTS says so', () => {
    expect(after('CREATE ROLE r', 'DROP ROW POLICY IF EXISTS ON t FOR ROLE r').commands).toEqual([]);
    expect(after('CREATE ROLE r', 'DROP COLUMN POLICY IF EXISTS ON t COLUMN c FOR ROLE r').commands).toEqual([]);
  });
});

test('a name in quotes is a name, whatever it looks like', () => {
  const odd = `x"; DROP ROLE r; --`;
  const { directory } = after(`CREATE ROLE "${odd.replaceAll('"', '""')}"`);
  expect(directory.state.roles.map(({ name }) => name)).toContain(odd);
});

test.each([
  ['SHOW USERS', 'all'],
  ['SHOW POOL GRANTS', 'holders of pools'],
  ['SHOW POOL GRANTS FOR USER bob', { named: ['bob'] }],
  ['SHOW EFFECTIVE GRANTS FOR USER bob', { named: ['bob'] }],
  ['SHOW GRANTS FOR USER bob', { named: ['bob'] }],
  ['GRANT ROLE r TO USER bob', { named: ['bob'] }],
  ['GRANT ROLE r TO GROUP g', { named: [] }],
  ['ALTER GROUP g ADD USER bob', { named: ['bob'] }],
  ['DROP USER bob', { named: ['bob'] }],
  ['CREATE ROLE r', { named: [] }],
])('%s needs the accounts: %j', (text, needed) => expect(accountsOf(parseAdministration(text))).toEqual(needed));

describe('secure views', () => {
  const view = { catalog: 'lake', schema: 'main', name: 'v' };
  const made = { ...view, body: 'SELECT 1 AS a', columns: ['a'], bases: [] };
  const { directory } = after();
  const there = {
    ...directory,
    state: { ...directory.state, secureViews: [{ id: 'w1', ...made }] },
  };
  const commands = (text: string, given = directory, of: typeof made | null = made) =>
    commandsOf(changing(text), given, () => 'w2', null, of);

  test('are made of what a node says of them, and dropped by their names', () => {
    const create = { type: 'create-secure-view', viewId: 'w2', ...made };
    expect(commands('CREATE SECURE VIEW lake.main.v AS SELECT 1 AS a')).toEqual([create]);
    expect(commands('CREATE OR REPLACE SECURE VIEW lake.main.v AS SELECT 1 AS a', there)).toEqual([create]);
    expect(commands('DROP SECURE VIEW LAKE.main.V', there)).toEqual([{ type: 'drop-secure-view', viewId: 'w1' }]);
    expect(commands('DROP SECURE VIEW IF EXISTS lake.main.v')).toEqual([]);
  });

  test('are refused where one is there, where none is, and where no node made one', () => {
    const exists = 'there is a view lake.main.v already: CREATE OR REPLACE SECURE VIEW changes it';
    expect(() => commands('CREATE SECURE VIEW lake.main.v AS SELECT 1', there)).toThrow(exists);
    expect(() => commands('DROP SECURE VIEW lake.main.v')).toThrow('no such secure view: lake.main.v');
    expect(() => commands('CREATE SECURE VIEW lake.main.v AS SELECT 1', directory, null)).toThrow(DomainError);
  });
});
