import fc from 'fast-check';
import { superuserSet } from './effective-set';
import type { ColumnPolicy, EffectiveSet, OfRole, RowPolicy } from './model';
import { maskConflicts, restrictionsOf, UNRESTRICTED } from './policies';

type Column = OfRole<ColumnPolicy>;
type Row = OfRole<RowPolicy>;

const setOf = (columnPolicies: Column[], rowPolicies: Row[] = []): EffectiveSet => ({
  ...superuserSet('ann'),
  tenant: 'acme',
  catalogs: ['lake', 'side'],
  columnPolicies,
  rowPolicies,
});
const tuple = (text: string) => {
  const [catalog = '', schema = '', table = ''] = text.split('.');
  return { catalog, schema, table };
};
const mask = (role: string, on: string, transformSql: string, column = 'phone'): Column => ({
  ...{ role, ...tuple(on), column, action: 'mask', transformSql },
});
const deny = (role: string, on: string, column = 'phone'): Column => ({
  ...{ role, ...tuple(on), column, action: 'deny', transformSql: null },
});
const row = (role: string, on: string, predicateSql: string): Row => ({ role, ...tuple(on), predicateSql });
const customer = { catalog: 'lake', schema: 'main', name: 'customer' };
const ofPhone = (...policies: Column[]) => {
  const { denied, masks } = restrictionsOf(setOf(policies), customer);
  return denied.get('phone') ?? masks.get('phone') ?? null;
};

describe('the columns of a table', () => {
  test.each<[string, Column[], unknown]>([
    ['no policy', [], null],
    ['a mask', [mask('a', 'lake.main.customer', 'x')], { expression: 'x', roles: ['a'] }],
    ['a mask of another table', [mask('a', 'lake.main.orders', 'x')], null],
    ['a mask of another schema', [mask('a', 'lake.other.customer', 'x')], null],
    ['a mask of every table', [mask('a', '*.*.*', 'x')], { expression: 'x', roles: ['a'] }],
    ['a denial of every schema', [deny('a', 'lake.*.customer')], 'a'],
    [
      'deny beats mask, however specific the mask and whoever denies',
      [mask('a', 'lake.main.customer', 'x'), deny('b', '*.*.*'), mask('b', 'lake.main.customer', 'x')],
      'b',
    ],
    [
      'of one role the most specific tuple',
      [mask('a', 'lake.main.customer', 'x'), mask('a', 'lake.*.customer', 'y'), mask('a', '*.*.*', 'z')],
      { expression: 'x', roles: ['a'] },
    ],
    [
      'of one role two that are equally specific, and differ',
      [mask('a', 'lake.*.customer', 'x'), mask('a', '*.main.customer', 'y')],
      { expression: null, roles: ['a'] },
    ],
    [
      'of one role two that are equally specific, and agree',
      [mask('a', 'lake.*.customer', 'x'), mask('a', '*.main.customer', 'x')],
      { expression: 'x', roles: ['a'] },
    ],
    [
      'of two roles the same, by different tuples',
      [mask('b', 'lake.main.customer', 'x'), mask('a', '*.*.*', 'x')],
      { expression: 'x', roles: ['a', 'b'] },
    ],
    [
      'of two roles different ones: NULL, for specificity is no matter between roles',
      [mask('a', 'lake.main.customer', 'x'), mask('b', '*.*.*', 'y')],
      { expression: null, roles: ['a', 'b'] },
    ],
  ])('%s', (_, policies, expected) => expect(ofPhone(...policies)).toEqual(expected));

  test('a wildcard reaches the catalogs of the tenant, as that of a grant does', () => {
    const set = setOf([mask('a', '*.*.*', 'x')], [row('a', '*.*.*', 'p')]);
    expect(restrictionsOf(set, { ...customer, catalog: 'SIDE' }).masks.size).toBe(1);
    expect(restrictionsOf(set, { ...customer, catalog: 'far' })).toBe(UNRESTRICTED);
  });
});

describe('the rows of a table', () => {
  test.each<[string, Row[], string[] | null]>([
    ['no policy', [], null],
    ['one of another table', [row('a', 'lake.main.orders', 'p')], null],
    ['one', [row('a', 'lake.main.Customer', 'p')], ['p']],
    [
      'every one that matches, each once',
      [row('b', 'lake.main.customer', 'q'), row('a', '*.*.*', 'p'), row('a', 'lake.*.*', 'q')],
      ['p', 'q'],
    ],
  ])('%s', (_, policies, expected) => {
    expect(restrictionsOf(setOf([], policies), { ...customer, name: 'CUSTOMER' }).filters).toEqual(expected);
  });
});

const someTuple = fc.tuple(
  fc.constantFrom('*', 'lake', 'side'),
  fc.constantFrom('*', 'main', 's'),
  fc.constantFrom('*', 'customer', 'orders'),
);
const role = fc.constantFrom('a', 'b', 'c');
const column = fc
  .tuple(role, someTuple, fc.constantFrom('x', 'y', null))
  .map(([of, on, text]) => (text === null ? deny(of, on.join('.')) : mask(of, on.join('.'), text)));
const rows = fc.tuple(role, someTuple, fc.constantFrom('p', 'q')).map(([of, on, text]) => row(of, on.join('.'), text));
const columns = fc.array(column, { maxLength: 6 });
const table = fc.record({
  catalog: fc.constantFrom('lake', 'side', 'far'),
  schema: fc.constantFrom('main', 's'),
  name: fc.constantFrom('customer', 'orders'),
});
const plain = ({ denied, masks, filters }: ReturnType<typeof restrictionsOf>) => ({
  denied: [...denied],
  masks: [...masks],
  filters,
});

test('no order of roles and policies makes a difference', () => {
  const shuffled = fc.tuple(columns, fc.array(rows, { maxLength: 6 })).chain(([c, r]) =>
    fc.record({
      before: fc.constant(setOf(c, r)),
      after: fc
        .tuple(
          fc.shuffledSubarray(c, { minLength: c.length, maxLength: c.length }),
          fc.shuffledSubarray(r, { minLength: r.length, maxLength: r.length }),
        )
        .map(([c2, r2]) => setOf(c2, r2)),
    }),
  );
  fc.assert(
    fc.property(shuffled, table, ({ before, after }, of) => {
      expect(plain(restrictionsOf(after, of))).toEqual(plain(restrictionsOf(before, of)));
    }),
    { numRuns: 2000 },
  );
});

test('a role more never shows more of a restricted column', () => {
  const shown = (policies: Column[], of: typeof customer) => {
    const { denied, masks } = restrictionsOf(setOf(policies), of);
    const found = masks.get('phone');
    return denied.has('phone') ? 'nothing' : found ? (found.expression ?? 'NULL') : 'all';
  };
  const ofAnother = fc.array(
    column.map((policy) => ({ ...policy, role: 'another' })),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(columns, ofAnother, table, (policies, more, of) => {
      const [before, after] = [shown(policies, of), shown([...policies, ...more], of)];
      if (before === 'nothing') expect(after).toBe('nothing');
      else if (before === 'NULL') expect(['nothing', 'NULL']).toContain(after);
      else if (before !== 'all') expect(['nothing', 'NULL', before]).toContain(after);
    }),
    { numRuns: 3000 },
  );
});

test('a hundred policies of other tables cost nothing', () => {
  const many = Array.from({ length: 100 }, (_, i) => mask('a', `lake.main.t${i}`, 'x'));
  const set = setOf(many, [row('a', 'lake.main.t1', 'p')]);
  expect(restrictionsOf(set, customer)).toBe(UNRESTRICTED);
  const started = process.cpuUsage();
  for (let i = 0; i < 100_000; i++) restrictionsOf(set, customer);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(1_000);
});

describe('masks that contradict each other', () => {
  test('are told with the tables on which they do, and the roles', () => {
    const found = maskConflicts([
      mask('a', 'lake.main.customer', 'x'),
      mask('b', '*.*.customer', 'y', 'Phone'),
      mask('c', 'lake.main.*', 'y'),
      mask('c', 'lake.main.customer', 'x', 'email'),
    ]);
    expect(found).toEqual([{ ...tuple('lake.main.customer'), column: 'phone', roles: ['a', 'b', 'c'] }]);
  });

  test.each<[string, Column[]]>([
    ['that agree', [mask('a', '*.*.*', 'x'), mask('b', 'lake.main.customer', 'x')]],
    ['of different tables', [mask('a', 'lake.main.customer', 'x'), mask('b', 'lake.main.orders', 'y')]],
    ['of different columns', [mask('a', '*.*.*', 'x'), mask('b', '*.*.*', 'y', 'email')]],
    ['that a denial takes the place of', [mask('a', '*.*.*', 'x'), mask('b', '*.*.*', 'y'), deny('c', '*.*.*')]],
    ['that a more specific one of the role takes the place of', [mask('a', '*.*.*', 'x'), mask('a', 'lake.*.*', 'y')]],
  ])('are not those %s', (_, policies) => expect(maskConflicts(policies)).toEqual([]));
});
