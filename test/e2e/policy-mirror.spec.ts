import fc from 'fast-check';
import { setDigest } from '@gadwall/rbac';
import { Gate } from '../../apps/manager/src/effective-set';
import type { Authenticated } from '../../apps/manager/src/auth';
import { startManager, type TestManager } from '../support/manager';
import { createSecureView, dropSecureView } from '../support/secure-views';
import { makeTenant, makeUser } from '../support/tenants';

/**
 * A manager admits from memory. What it holds after any sequence of changes is what one that has just started reads from
 * the tables.
 */
let manager: TestManager;
let other: TestManager;
let roleIds: string[];
let groupIds: string[];
let poolId: string;
const people: Authenticated[] = [];

beforeAll(async () => {
  manager = await startManager();
  await makeTenant(manager, 'acme');
  for (const name of ['ana', 'ben']) {
    const userId = await makeUser(manager.root, 'acme', name, {
      roles: ['gadwall_no_tables'],
      groups: ['gadwall_all_pools'],
    });
    people.push({ userId, username: name, tenant: 'acme', superuser: false, admin: false, sessionId: null });
  }
  const made = async (path: string, body: Record<string, unknown>) =>
    (await manager.root.done<{ id: string }>(path, body)).id;
  roleIds = [
    await made('/api/role/create', { tenant: 'acme', name: 'r1' }),
    await made('/api/role/create', { tenant: 'acme', name: 'r2' }),
  ];
  groupIds = [
    await made('/api/group/create', { tenant: 'acme', name: 'g1' }),
    await made('/api/group/create', { tenant: 'acme', name: 'g2' }),
  ];
  poolId = (await manager.root.get('/api/pool/list')).body.pools[0].id as string;
}, 60_000);

afterAll(() => manager.stop());

const admitted = (at: TestManager, who: Authenticated) =>
  at.app
    .get(Gate)
    .admit(who, 'acme', 'bi')
    .then(({ set, digest, versions }) => ({ digest, recomputed: setDigest(set), version: versions.tenant }))
    .catch((error: { code?: string }) => ({ refused: error.code }));

type Change = [path: string, body: Record<string, unknown>];

const change = (): fc.Arbitrary<Change> => {
  const user = fc.constantFrom(0, 1).map((i) => people[i]?.userId ?? '');
  const role = fc.constantFrom(0, 1).map((i) => roleIds[i]);
  const group = fc.constantFrom(0, 1).map((i) => groupIds[i]);
  const way = fc.constantFrom('add', 'remove');
  const edge = (
    kind: string,
    a: string,
    ids: fc.Arbitrary<string | undefined>,
    b: string,
    others: fc.Arbitrary<string | undefined>,
  ) => fc.tuple(way, ids, others).map(([w, x, y]): Change => [`/api/membership/${kind}/${w}`, { [a]: x, [b]: y }]);
  return fc.oneof(
    edge('user-role', 'userId', user, 'roleId', role),
    edge('user-group', 'userId', user, 'groupId', group),
    edge('group-role', 'groupId', group, 'roleId', role),
    fc
      .tuple(role, fc.constantFrom('a', 'b', 'c'), fc.constantFrom('RO', 'RW'))
      .map(([roleId, table, verb]): Change => [
        '/api/role/permission/grant',
        { roleId, catalog: '*', schema: '*', table, verb },
      ]),
    fc.constant<Change>(['revoke-permission', {}]),
    fc
      .tuple(fc.oneof(user, fc.constant(null)), group)
      .map(([userId, groupId]): Change => [
        '/api/pool/permission/grant',
        { tenant: 'acme', poolId, ...(userId ? { userId } : { groupId }) },
      ]),
    fc
      .tuple(role, fc.constantFrom('a', '*'), fc.constantFrom("'***'", 'NULL'))
      .map(([roleId, tableName, transformSql]): Change => [
        '/api/role/column-policy/create',
        { roleId, tableName, columnName: 'c', action: 'mask', transformSql },
      ]),
    fc
      .tuple(role, fc.constantFrom('a', '*'), fc.constantFrom('c = 1', 'c = 2'))
      .map(([roleId, tableName, predicateSql]): Change => [
        '/api/role/row-policy/create',
        { roleId, tableName, predicateSql },
      ]),
    fc.constantFrom<Change>(['delete-policy', { kind: 'column' }], ['delete-policy', { kind: 'row' }]),
    fc.constant<Change>(['revoke-pool', {}]),
    fc
      .constantFrom('m1', 'm2')
      .map((name): Change => ['/api/macro/admit', { tenant: 'acme', catalog: 'acme_db', schema: 'main', name }]),
    fc.constant<Change>(['withdraw-macro', {}]),
    fc.constantFrom('SELECT 1 AS a', 'SELECT 2 AS a').map((body): Change => ['secure-view', { body }]),
    fc.constant<Change>(['drop-secure-view', {}]),
    fc.tuple(user, fc.boolean()).map(([id, enabled]): Change => ['/api/user/update', { id, enabled }]),
    fc
      .boolean()
      .map((disabled): Change => [
        '/api/pool/setDisabled',
        { tenant: 'acme', tenantDb: 'acme_db', pool: 'bi', disabled },
      ]),
    fc.boolean().map((disabled): Change => ['/api/tenant/setDisabled', { name: 'acme', disabled }]),
  );
};

async function apply([path, body]: Change): Promise<void> {
  if (path === 'revoke-permission') {
    const { body: list } = await manager.root.get(`/api/role/permission/list?roleId=${roleIds[0]}`);
    const [first] = (list.permissions ?? []) as { id: string }[];
    if (first) await manager.root.post('/api/role/permission/revoke', { id: first.id });
  } else if (path === 'delete-policy') {
    const { body: list } = await manager.root.get(`/api/role/${String(body.kind)}-policy/list?roleId=${roleIds[0]}`);
    const [first] = (list as { policies: { id: string }[] }).policies;
    if (first) await manager.root.post(`/api/role/${String(body.kind)}-policy/delete`, { id: first.id });
  } else if (path === 'revoke-pool') {
    const { body: list } = await manager.root.get(`/api/pool/permission/list?tenant=acme`);
    const [first] = ((list.permissions ?? list.grants ?? []) as { id: string; userId: string | null }[]).filter(
      (g) => g.userId,
    );
    if (first) await manager.root.post('/api/pool/permission/revoke', { id: first.id });
  } else if (path === 'withdraw-macro') {
    const { body: list } = await manager.root.get('/api/macro/list?tenant=acme');
    const [first] = (list as { macros: { id: string }[] }).macros;
    if (first) await manager.root.post('/api/macro/withdraw', { tenant: 'acme', id: first.id });
  } else if (path === 'secure-view') {
    const view = { catalog: 'acme_db', schema: 'main', name: 'sv', columns: ['a'], bases: [] };
    await createSecureView(manager, 'acme', { ...view, body: String(body.body) });
  } else if (path === 'drop-secure-view') {
    const { body: list } = await manager.root.get('/api/secure-view/list?tenant=acme');
    const [first] = (list as { secureViews: { id: string }[] }).secureViews;
    if (first) await dropSecureView(manager, 'acme', first.id);
  } else await manager.root.post(path, body);
}

test('holds what the tables say, after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constant(null).chain(change), { minLength: 1, maxLength: 12 }), async (changes) => {
      for (const one of changes) {
        for (const who of people) await admitted(manager, who);
        await apply(one);
      }
      other = await startManager({}, manager.database);
      try {
        for (const who of people) {
          const held = await admitted(manager, who);
          expect(held).toEqual(await admitted(other, who));
          if ('digest' in held) expect(held.recomputed).toBe(held.digest);
        }
      } finally {
        await other.stop();
      }
    }),
    { numRuns: 15 },
  );
}, 120_000);

test('takes what another manager committed from the log, when it is told to look', async () => {
  await manager.root.post('/api/tenant/setDisabled', { name: 'acme', disabled: false });
  await manager.root.post('/api/pool/setDisabled', {
    tenant: 'acme',
    tenantDb: 'acme_db',
    pool: 'bi',
    disabled: false,
  });
  const [ana] = people as [Authenticated];
  await manager.root.post('/api/user/update', { id: ana.userId, enabled: true });
  const before = await admitted(manager, ana);
  other = await startManager({}, manager.database);
  try {
    const grant = { roleId: roleIds[1], catalog: '*', schema: 'late', table: '*', verb: 'RO' };
    await other.root.done('/api/role/permission/grant', grant);
    await other.root.done('/api/membership/user-role/add', { userId: ana.userId, roleId: roleIds[1] });
    await manager.app.get(Gate).refresh('acme');
    const after = await admitted(manager, ana);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await admitted(other, ana));
    await other.root.done('/api/user/update', { id: ana.userId, enabled: false });
    await manager.app.get(Gate).refresh('acme');
    expect(await admitted(manager, ana)).toEqual({ refused: 'user_disabled' });
  } finally {
    await other.stop();
  }
});
