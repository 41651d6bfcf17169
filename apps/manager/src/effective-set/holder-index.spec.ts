import fc from 'fast-check';
import {
  emptyTenant,
  POLICY_EVENTS,
  type PolicyEvent,
  type TenantState,
  touchOf,
  touchPaths,
  type UserEdges,
} from '@gadwall/rbac';
import { HolderIndex } from './holder-index';

const IDS = ['a', 'b', 'c'];
const some = fc.subarray(IDS);
const one = fc.constantFrom(...IDS);
const orNone = fc.option(one, { nil: null });

const edges: fc.Arbitrary<UserEdges> = fc.record({
  roles: some,
  groups: some,
  poolGrants: fc.array(fc.record({ id: one, poolId: orNone }), { maxLength: 2 }),
});

const state: fc.Arbitrary<TenantState> = fc
  .record({
    groupRoles: fc.array(fc.record({ groupId: one, roleId: one }), { maxLength: 6 }),
    poolPermissions: fc.array(fc.record({ id: one, poolId: orNone, userId: fc.constant(null), groupId: orNone })),
  })
  .map((rows) => ({ ...emptyTenant('acme'), ...rows }));

/** Every type there is, with all that `touchOf` looks at. */
const TYPES = Object.keys(POLICY_EVENTS);

const event = fc
  .record({
    type: fc.constantFrom(...TYPES),
    data: fc.record({ userId: orNone, roleId: one, groupId: orNone, grantId: one, poolId: one }),
  })
  .map((made) => made as unknown as PolicyEvent);

test('an event finds everybody whom it touches, also after edges have changed', () => {
  fc.assert(
    fc.property(state, event, fc.array(fc.tuple(one, edges), { maxLength: 8 }), one, (before, happened, held, left) => {
      const index = new HolderIndex();
      const now = new Map(held);
      for (const [userId, bound] of held) index.add(userId, bound);
      index.remove(left);
      now.delete(left);
      const reached = index.reached(touchPaths(before, happened));
      for (const [userId, bound] of now) {
        if (touchOf(before, happened, userId, bound) !== 'nothing') expect(reached).toContain(userId);
      }
      expect([...reached].every((userId) => now.has(userId))).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test('those who have nothing to do with an event are not looked at', () => {
  const index = new HolderIndex();
  index.add('ana', { roles: ['analyst'], groups: ['staff'], poolGrants: [] });
  index.add('eva', { roles: ['etl'], groups: [], poolGrants: [{ id: 'g1', poolId: 'p' }] });
  const acme = { ...emptyTenant('acme'), groupRoles: [{ groupId: 'staff', roleId: 'shared' }] };
  const of = (type: string, data: object) => [...index.reached(touchPaths(acme, { type, data } as PolicyEvent))].sort();
  expect(of('permission.granted', { roleId: 'etl' })).toEqual(['eva']);
  expect(of('permission.revoked', { roleId: 'shared' })).toEqual(['ana']);
  expect(of('pool-permission.revoked', { grantId: 'g1' })).toEqual(['eva']);
  expect(of('database.created', {})).toEqual(['ana', 'eva']);
  expect(of('role.created', { roleId: 'analyst' })).toEqual([]);
});
