import type { Description } from '@gadwall/rewriters';
import { superuserSet } from './effective-set';
import type { EffectiveSet } from './model';
import { verdictAgain } from './verdict-again';

const at = { role: 'r', catalog: 'lake', schema: 'main', table: 'customer' };
const ana: EffectiveSet = {
  ...superuserSet('ana'),
  tenant: 'acme',
  roles: ['r'],
  permissions: [{ effect: 'allow', catalog: 'lake', schema: 'main', table: '*', verb: 'RW' }],
  catalogs: ['lake'],
};
const filtered = (predicateSql: string): EffectiveSet => ({ ...ana, rowPolicies: [{ ...at, predicateSql }] });
const masked = (transformSql: string): EffectiveSet => ({
  ...ana,
  columnPolicies: [{ ...at, column: 'mail', action: 'mask', transformSql }],
});

const reads = (name: string): Description => ({
  kind: 'SELECT',
  governable: true,
  objects: [
    {
      ...{ catalog: 'lake', schema: 'main', name, kind: 'table', access: 'read', columns: ['id'] },
      ...{ temporary: false, via: [], written: [], missing: false },
    },
  ],
  ...{ functions: [], settings: [], files: [], macros: [], secureViews: [], findings: [] },
});

describe('what was admitted under one set, judged by another', () => {
  test.each<[string, EffectiveSet, EffectiveSet, boolean]>([
    ['the same policies', filtered('id = 1'), filtered('id = 1'), true],
    ['a filter that is another', filtered('id = 1'), filtered('id = 2'), false],
    ['a filter that was none', ana, filtered('id = 1'), false],
    ['a filter that is gone', filtered('id = 1'), ana, false],
    ['a mask that is another', masked("'*'"), masked('NULL'), false],
    ['a role more, which a token could mean', filtered('id = 1'), { ...filtered('id = 1'), roles: ['r', 's'] }, false],
    ['a role more, and no policy', ana, { ...ana, roles: ['r', 's'] }, true],
  ])('%s', (_, was, now, allow) => {
    expect(verdictAgain(was, now, reads('customer')).allow).toBe(allow);
    // What they are not about goes on.
    expect(verdictAgain(was, now, reads('orders')).allow).toBe(true);
  });

  test('the refusal names the table', () => {
    expect(verdictAgain(filtered('id = 1'), filtered('id = 2'), reads('customer'))).toMatchObject({
      rule: 'row-policy',
      message: 'the policies on lake.main.customer have changed',
    });
  });
});
