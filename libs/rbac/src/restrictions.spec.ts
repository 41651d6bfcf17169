import { superuserSet } from './effective-set';
import type { ColumnPolicy, EffectiveSet, OfRole } from './model';
import { restricted } from './restrictions';

const mask = (on: string, column: string): OfRole<ColumnPolicy> => {
  const [catalog = '', schema = '', table = ''] = on.split('.');
  return { role: 'r', catalog, schema, table, column, action: 'mask', transformSql: 'NULL' };
};

/** What has to be there of the columns of lake.main.customer. */
function named(...columnPolicies: OfRole<ColumnPolicy>[]): string[] | undefined {
  const set: EffectiveSet = { ...superuserSet('ann'), tenant: 'acme', catalogs: ['lake', 'side'], columnPolicies };
  const customer = { catalog: 'lake', schema: 'main', name: 'customer', kind: 'table', access: 'read' } as const;
  const object = { ...customer, columns: ['id'], temporary: false, via: [], written: [], missing: false };
  return restricted(set, object)?.named;
}

test('a table has to have the columns of policies on its own name', () => {
  expect(named(mask('lake.main.customer', 'phone'), mask('lake.*.customer', 'Mail'))).toEqual(['phone', 'mail']);
});

test('and not those of policies on every table, nor on its namesakes elsewhere', () => {
  const elsewhere = [mask('lake.other.customer', 'code'), mask('side.main.customer', 'pin')];
  expect(named(mask('lake.main.*', 'phone'), ...elsewhere)).toEqual([]);
});
