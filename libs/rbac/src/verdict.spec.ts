import type { Description, ObjectAccess } from '@gadwall/rewriters';
import { setDigest } from './digest';
import { superuserSet } from './effective-set';
import type { EffectiveSet, SecureView, TablePermission } from './model';
import { verdict } from './verdict';
import { verdictAgain } from './verdict-again';

const permission = (verb: TablePermission['verb'], ref: string, effect: TablePermission['effect'] = 'allow') => {
  const [catalog = '', schema = '', table = ''] = ref.split('.');
  return { effect, catalog, schema, table, verb };
};

const user = (...permissions: TablePermission[]): EffectiveSet => ({
  ...superuserSet('ana'),
  tenant: 'acme',
  permissions,
  catalogs: ['lake', 'attic'],
});

const touching = (ref: string, access: ObjectAccess['access'], more: Partial<ObjectAccess> = {}): Description => {
  const [catalog = '', schema = '', name = ''] = ref.split('.');
  const object = {
    catalog,
    schema,
    name,
    access,
    kind: 'table' as const,
    columns: [],
    temporary: false,
    via: [],
    written: [],
    missing: false,
  };
  return {
    kind: 'SELECT',
    governable: true,
    objects: [{ ...object, ...more }],
    functions: [],
    settings: [],
    files: [],
    macros: [],
    secureViews: [],
    findings: [],
  };
};

describe('which grant covers which access (seed 000, "Verbs")', () => {
  const ACCESSES = ['read', 'insert', 'update', 'delete', 'create', 'drop', 'alter'] as const;
  test.each([
    ['RO', ['read']],
    ['RW', ['read', 'insert', 'update', 'delete']],
    ['DDL', ['create', 'drop', 'alter']],
    ['ALL', [...ACCESSES]],
  ] as const)('%s covers %j', (verb, covered) => {
    const set = user(permission(verb, 'lake.main.t'));
    expect(ACCESSES.filter((access) => verdict(set, touching('lake.main.t', access)).allow)).toEqual(covered);
  });
});

describe('wildcards', () => {
  test.each([
    ['*.*.*', 'lake.main.t', true],
    ['*.*.*', 'attic.x.t', true],
    ['*.*.*', 'other.main.t', false],
    ['*.*.*', 'pgsrc.public.t', false],
    ['pgsrc.public.*', 'pgsrc.public.t', true],
    ['PGSRC.Public.*', 'pgsrc.public.T', true],
    ['lake.*.t', 'lake.s1.t', true],
    ['lake.*.t', 'lake.s1.u', false],
    ['lake.main.*', 'lake.s1.t', false],
    ['other.main.t', 'other.main.t', true],
    ['lake.main.İ', 'lake.main.i̇', false],
  ])('RO on %s and a read of %s: %s', (grant, ref, allow) => {
    expect(verdict(user(permission('RO', grant)), touching(ref, 'read')).allow).toBe(allow);
  });

  test('a schema-wide access needs a grant whose table part is *', () => {
    const schema = touching('lake.s2.*', 'create', { kind: 'schema' });
    expect(verdict(user(permission('DDL', 'lake.s2.t')), schema).allow).toBe(false);
    expect(verdict(user(permission('DDL', 'lake.main.*')), schema).allow).toBe(false);
    expect(verdict(user(permission('DDL', 'lake.s2.*')), schema).allow).toBe(true);
  });

  test('a schema-wide access is denied by a deny on any table in it', () => {
    const all = permission('ALL', '*.*.*');
    const schema = touching('lake.s2.*', 'drop', { kind: 'schema' });
    for (const ref of ['lake.s2.t', '*.*.t', 'lake.*.t', 'LAKE.S2.T']) {
      expect(verdict(user(all, permission('DDL', ref, 'deny')), schema)).toMatchObject({ rule: 'deny' });
      expect(verdict(user(all, permission('ALL', ref, 'deny')), schema)).toMatchObject({ rule: 'deny' });
    }
    expect(verdict(user(all, permission('RW', 'lake.s2.t', 'deny')), schema).allow).toBe(true);
    expect(verdict(user(all, permission('ALL', 'lake.s1.t', 'deny')), schema).allow).toBe(true);
  });
});

describe('refusals', () => {
  test('name every lacking object and access, and the smallest grants', () => {
    const description = touching('lake.main.b', 'insert');
    description.objects.push(...touching('lake.main.a', 'read').objects);
    expect(verdict(user(), description)).toEqual({
      allow: false,
      rule: 'grant',
      message: 'user:ana lacks grants on lake.main.a:read, lake.main.b:insert',
      objects: [
        { catalog: 'lake', schema: 'main', name: 'a', kind: 'table', access: 'read' },
        { catalog: 'lake', schema: 'main', name: 'b', kind: 'table', access: 'insert' },
      ],
      hint: 'an administrator can grant RO on lake.main.a and RW on lake.main.b to a role of yours',
    });
  });

  test('a view that no grant covers is named as written, its bases never', () => {
    const under = touching('lake.main.base', 'read', {
      via: [{ catalog: 'lake', schema: 's1', name: 'v' }],
      written: [{ catalog: 'lake', schema: 'main', name: 'V', kind: 'table' }],
    });
    expect(verdict(user(), under)).toMatchObject({ message: 'user:ana lacks grants on lake.main.V:read' });
    expect(verdict(user(permission('RO', 'lake.s1.v')), under)).toMatchObject({
      message: 'user:ana lacks grants on lake.main.base:read',
    });
    expect(verdict(user(permission('RO', 'lake.main.base')), under)).toEqual({ allow: true });
  });

  test('a name is shown as it was written to one whom no grant tells what it means', () => {
    const hidden = touching('lake.s1.secret', 'read', {
      kind: 'view',
      written: [{ catalog: 'lake', schema: 'main', name: 'SECRET', kind: 'table' }],
    });
    expect(verdict(user(), hidden)).toMatchObject({
      message: 'user:ana lacks grants on lake.main.SECRET:read',
      objects: [{ catalog: 'lake', schema: 'main', name: 'SECRET', kind: 'table', access: 'read' }],
    });
    expect(verdict(user(permission('DDL', 'lake.s1.secret')), hidden)).toMatchObject({
      message: 'user:ana lacks grants on lake.s1.secret:read',
    });
  });

  test('a deny on what is under a view that no grant covers does not tell that the view is there', () => {
    const under = touching('lake.main.base', 'read', {
      via: [{ catalog: 'lake', schema: 'main', name: 'v' }],
      written: [{ catalog: 'lake', schema: 'main', name: 'v', kind: 'table' }],
    });
    const deny = permission('RO', 'lake.main.base', 'deny');
    const missing = touching('lake.main.v', 'read', {
      missing: true,
      written: [{ catalog: 'lake', schema: 'main', name: 'v', kind: 'table' }],
    });
    expect(verdict(user(deny), under)).toEqual(verdict(user(deny), missing));
    expect(verdict(user(deny, permission('RO', 'lake.main.base')), under)).toMatchObject({ rule: 'grant' });
    expect(verdict(user(deny, permission('RO', 'lake.main.v')), under)).toMatchObject({ rule: 'deny' });
  });

  test('deny wins, by a wildcard too, and reaches catalogs that a wildcard grant does not', () => {
    const deny = permission('ALL', '*.*.t', 'deny');
    expect(verdict(user(permission('ALL', '*.*.*'), deny), touching('lake.main.t', 'read'))).toMatchObject({
      rule: 'deny',
    });
    expect(verdict(user(permission('RO', 'pgsrc.public.t'), deny), touching('pgsrc.public.t', 'read'))).toMatchObject({
      rule: 'deny',
    });
    expect(verdict(user(permission('ALL', '*.*.*'), deny), touching('lake.main.u', 'read'))).toEqual({ allow: true });
  });

  test('a finding refuses tenant users; only a mechanism rule refuses superusers', () => {
    const description = touching('lake.main.t', 'read');
    description.findings.push({ rule: 'function', message: 'function x is not classified', bindsSuperusers: false });
    expect(verdict(user(permission('ALL', '*.*.*')), description)).toMatchObject({ rule: 'function', hint: null });
    expect(verdict(superuserSet('root'), description)).toEqual({ allow: true });
    description.findings.push({ rule: 'setting', message: 'threads cannot be changed', bindsSuperusers: true });
    expect(verdict(superuserSet('root'), description)).toMatchObject({ rule: 'setting' });
  });

  test('temporary objects need no grant', () => {
    expect(verdict(user(), touching('temp.main.t', 'insert', { temporary: true })).allow).toBe(true);
  });
});

const NET = { catalog: 'lake', schema: 'main', name: 'net' };

describe('macros', () => {
  const calling: Description = {
    ...touching('lake.main.t', 'read'),
    macros: [{ ...NET, catalog: 'Lake', name: 'Net' }],
  };
  const reader = user(permission('RO', '*.*.*'));

  test('are called while they are admitted, by superusers always', () => {
    expect(verdict({ ...reader, macros: [NET] }, calling)).toEqual({ allow: true });
    expect(verdict({ ...reader, macros: [{ ...NET, schema: 's' }] }, calling)).toMatchObject({
      rule: 'function',
      message: 'function Net is not classified',
      hint: null,
    });
    expect(verdict(superuserSet('root'), calling)).toEqual({ allow: true });
  });

  test('need the grants of what they read first', () => {
    expect(verdict({ ...user(), macros: [NET] }, calling)).toMatchObject({ rule: 'grant' });
    expect(verdict(user(), calling)).toMatchObject({ rule: 'grant' });
  });

  test('are named for what only their body names, whatever is granted or denied on it or on their own name', () => {
    const written = [{ ...NET, kind: 'macro' as const }];
    const under = { ...touching('lake.main.secret', 'read', { written }), macros: [NET] };
    for (const grants of [
      [],
      [permission('ALL', 'lake.main.net')],
      [permission('ALL', 'lake.main.other'), permission('ALL', 'lake.main.secret', 'deny')],
    ]) {
      expect(verdict({ ...user(...grants), macros: [NET] }, under)).toEqual({
        allow: false,
        rule: 'grant',
        message: 'user:ana lacks grants on lake.main.net:read',
        objects: [{ ...NET, kind: 'macro', access: 'read' }],
        hint: 'an administrator can grant what the macro net reads to a role of yours',
      });
    }
    const told = user(permission('DDL', 'lake.main.secret'));
    expect(verdict({ ...told, macros: [NET] }, under)).toMatchObject({
      message: 'user:ana lacks grants on lake.main.secret:read',
    });
  });
});

describe('secure views', () => {
  const place = { catalog: 'lake', schema: 'main' };
  const view = (name: string, body: string, bases: SecureView['bases'] = []): SecureView => ({
    ...{ ...place, name, body, columns: ['a'], bases },
  });
  const inner = { ...place, name: 'inner', kind: 'view' as const };
  const views = [view('inner', 'SELECT 1 AS a'), view('sv', 'SELECT a FROM lake.main.inner', [inner])];
  const reader = { ...user(permission('RO', 'lake.main.sv')), secureViews: views };
  const reading: Description = {
    ...touching('Lake.main.SV', 'read', { kind: 'view' }),
    secureViews: [{ catalog: 'Lake', schema: 'main', name: 'SV' }],
  };

  test('are read by a grant on their names, while they are secure views', () => {
    expect(verdict(reader, reading)).toEqual({ allow: true });
    expect(verdict({ ...user(), secureViews: views }, reading)).toMatchObject({ rule: 'grant' });
    expect(verdict({ ...reader, secureViews: views.slice(0, 1) }, reading)).toMatchObject({
      rule: 'secure-view',
      message: 'Lake.main.SV is no secure view any more',
    });
  });

  test('that stand for something else now are refused when they are judged again', () => {
    expect(verdictAgain(reader, { ...reader, roles: ['more'] }, reading)).toEqual({ allow: true });
    for (const changed of [
      [views[0]!, view('sv', 'SELECT 2 AS a')],
      [view('inner', 'SELECT 2 AS a'), views[1]!],
    ])
      expect(verdictAgain(reader, { ...reader, secureViews: changed }, reading)).toMatchObject({
        rule: 'secure-view',
        message: 'the secure view Lake.main.SV has changed',
      });
    const other = [...views, view('other', 'SELECT 3 AS a')];
    expect(verdictAgain(reader, { ...reader, secureViews: other }, reading)).toEqual({ allow: true });
  });

  test('are refused under a policy that names them, and under none of all tables', () => {
    const policy = { ...{ catalog: 'lake', schema: 'main' }, role: 'r', predicateSql: 'false' };
    expect(verdict({ ...reader, rowPolicies: [{ ...policy, table: 'sv' }] }, reading)).toMatchObject({
      rule: 'row-policy',
    });
    expect(verdict({ ...reader, rowPolicies: [{ ...policy, table: '*' }] }, reading)).toEqual({ allow: true });
  });
});

describe('the set digest', () => {
  test('is equal for equal sets and differs with everything that a verdict depends on', () => {
    const set = user(permission('RO', 'lake.main.t'));
    expect(setDigest({ ...set, permissions: [...set.permissions] })).toBe(setDigest(set));
    const others: Partial<EffectiveSet>[] = [
      { username: 'eva' },
      { tenant: 'globex' },
      { tenant: null },
      { roles: ['Aa'] },
      { roles: ['BB'] },
      { groups: ['g'] },
      { pools: [] },
      { permissions: [] },
      { permissions: [permission('RW', 'lake.main.t')] },
      { permissions: [permission('RO', 'lake.main.t', 'deny')] },
      { catalogs: ['lake'] },
      { macros: [NET] },
      { secureViews: [{ ...NET, body: 'SELECT 1', columns: ['1'], bases: [] }] },
    ];
    const digests = others.map((other) => setDigest({ ...set, ...other }));
    expect(new Set([setDigest(set), ...digests]).size).toBe(others.length + 1);
  });
});
