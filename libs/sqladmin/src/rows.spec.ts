import { DomainError, emptyTenant, type TenantState } from '@gadwall/rbac';
import { type Directory, isShow, type Listing, parseAdministration, showRows } from '.';

const allow = (id: string, roleId: string, table: string) =>
  ({ id, roleId, effect: 'allow', catalog: '*', schema: '*', table, verb: 'RO' }) as const;

const place = (table: string) => ({ catalog: 'lake', schema: 'main', table });

const state: TenantState = {
  ...emptyTenant('acme'),
  roles: [
    { id: 'r2', name: 'writer', builtin: false },
    { id: 'r1', name: 'analyst', builtin: false },
  ],
  groups: [{ id: 'g1', name: 'staff', builtin: false }],
  columnPolicies: [
    { id: 'm1', roleId: 'r2', ...place('t1'), column: 'b', action: 'mask', transformSql: "'*'", canonical: "'*'" },
    { id: 'm2', roleId: 'r1', ...place('t2'), column: 'c', action: 'deny', transformSql: null, canonical: null },
    { id: 'm3', roleId: 'r1', ...place('t2'), column: 'a', action: 'deny', transformSql: null, canonical: null },
  ],
  rowPolicies: [
    { id: 'w1', roleId: 'r1', ...place('t2'), predicateSql: 'a = 1', canonical: '(a = 1)' },
    { id: 'w2', roleId: 'r1', ...place('t1'), predicateSql: 'owner = ${user}', canonical: '(owner = ${user})' },
  ],
  permissions: [allow('a2', 'r1', 't2'), allow('a1', 'r1', 't1'), allow('b1', 'r2', 't3')],
  groupRoles: [
    { groupId: 'g1', roleId: 'r2' },
    { groupId: 'g1', roleId: 'r1' },
  ],
  userRoles: [{ userId: 'u1', roleId: 'r1' }],
  userGroups: [{ userId: 'u1', groupId: 'g1' }],
  poolPermissions: [
    { id: 'c1', poolId: 'p1', userId: 'u1', groupId: null },
    { id: 'c2', poolId: null, userId: null, groupId: 'g1' },
  ],
};
const directory: Directory = {
  state,
  accounts: [
    { id: 'u2', username: 'eve', kind: 'admin', enabled: false, email: 'eve@acme.test' },
    { id: 'u1', username: 'bob', kind: 'user', enabled: true, email: null },
  ],
  descriptions: new Map([['r1', 'who reads']]),
};

function shown(text: string): Listing {
  const statement = parseAdministration(text);
  if (!isShow(statement)) throw new Error('no SHOW');
  return showRows(statement, directory);
}

test.each([
  [
    'SHOW ROLES',
    'id, name, description',
    [
      ['r1', 'analyst', 'who reads'],
      ['r2', 'writer', null],
    ],
  ],
  ['SHOW GROUPS', 'id, name, description', [['g1', 'staff', null]]],
  [
    'SHOW USERS',
    'id, username, kind, enabled, email',
    [
      ['u1', 'bob', 'user', true, null],
      ['u2', 'eve', 'admin', false, 'eve@acme.test'],
    ],
  ],
  [
    'SHOW GRANTS FOR ROLE Analyst',
    'id, catalog, schema, table, verb',
    [
      ['a1', '*', '*', 't1', 'RO'],
      ['a2', '*', '*', 't2', 'RO'],
    ],
  ],
  [
    'SHOW GRANTS FOR USER bob',
    'role, id, catalog, schema, table, verb',
    [
      ['analyst', 'a1', '*', '*', 't1', 'RO'],
      ['analyst', 'a2', '*', '*', 't2', 'RO'],
    ],
  ],
  [
    'SHOW EFFECTIVE GRANTS FOR USER bob',
    'role, group, catalog, schema, table, verb, effect',
    [
      ['analyst', null, '*', '*', 't2', 'RO', 'allow'],
      ['analyst', 'staff', '*', '*', 't2', 'RO', 'allow'],
      ['analyst', null, '*', '*', 't1', 'RO', 'allow'],
      ['analyst', 'staff', '*', '*', 't1', 'RO', 'allow'],
      ['writer', 'staff', '*', '*', 't3', 'RO', 'allow'],
    ],
  ],
  ['SHOW EFFECTIVE GRANTS FOR USER eve', 'role, group, catalog, schema, table, verb, effect', []],
  [
    'SHOW POOL GRANTS',
    'id, poolId, user, group',
    [
      ['c1', 'p1', 'bob', null],
      ['c2', null, null, 'staff'],
    ],
  ],
  ['SHOW POOL GRANTS FOR USER bob', 'id, poolId, user, group', [['c1', 'p1', 'bob', null]]],
  ['SHOW POOL GRANTS FOR GROUP staff', 'id, poolId, user, group', [['c2', null, null, 'staff']]],
  [
    'SHOW ROW POLICIES',
    'role, catalog, schema, table, predicate',
    [
      ['analyst', 'lake', 'main', 't1', 'owner = ${user}'],
      ['analyst', 'lake', 'main', 't2', 'a = 1'],
    ],
  ],
  [
    'SHOW ROW POLICIES ON lake.main.T2',
    'role, catalog, schema, table, predicate',
    [['analyst', 'lake', 'main', 't2', 'a = 1']],
  ],
  ['SHOW ROW POLICIES ON t2', 'role, catalog, schema, table, predicate', []],
  ['SHOW ROW POLICIES FOR ROLE writer', 'role, catalog, schema, table, predicate', []],
  [
    'SHOW COLUMN POLICIES',
    'role, catalog, schema, table, column, action, transform',
    [
      ['analyst', 'lake', 'main', 't2', 'a', 'deny', null],
      ['analyst', 'lake', 'main', 't2', 'c', 'deny', null],
      ['writer', 'lake', 'main', 't1', 'b', 'mask', "'*'"],
    ],
  ],
  [
    'SHOW COLUMN POLICIES FOR ROLE writer',
    'role, catalog, schema, table, column, action, transform',
    [['writer', 'lake', 'main', 't1', 'b', 'mask', "'*'"]],
  ],
])('%s: %s', (text, columns, rows) => {
  const answer = shown(text);
  expect(answer.columns.map(({ name }) => name).join(', ')).toBe(columns);
  expect(answer.rows).toEqual(rows);
});

test.each([
  ['SHOW GRANTS FOR ROLE nope', 'no such role: nope'],
  ['SHOW ROW POLICIES FOR ROLE nope', 'no such role: nope'],
  ['SHOW GRANTS FOR USER nope', 'no such user: nope'],
  ['SHOW EFFECTIVE GRANTS FOR USER nope', 'no such user: nope'],
  ['SHOW POOL GRANTS FOR GROUP nope', 'no such group: nope'],
])('%s: %s', (text, message) => expect(() => shown(text)).toThrow(new DomainError('name_not_found', partsOf(message))));

function partsOf(message: string): { kind: string; name: string } {
  const [, kind = '', name = ''] = /^no such (\w+): (.*)$/.exec(message) ?? [];
  return { kind, name };
}
