import { type ApiClient, PASSWORD, startManager, type TestManager } from '../support/manager';
import { Hammer } from '../support/hammer';
import { workedExamples, type Workshop } from '../support/worked-examples';

/** A tenth of the long run (`npm run soak`). */
const REVOKES = Number(process.env.GADWALL_SOAK_REVOKES ?? 200);

/** How long a re-grant may take to show, ms: it is in force when it answers, so only the statement itself takes time. */
const SHOWS_MS = 5000;

/** A way to take access from a user who reads `customer` on pool `bi`, and to give it back. */
interface Kind {
  name: string;
  revoke(): Promise<unknown>;
  restore(): Promise<unknown>;
  /** The login sessions end with it. */
  loggedOut?: boolean;
}

interface WithId {
  id: string;
}

let manager: TestManager;
let made: Workshop;
let victim: string;
let roleId: string;
let groupId: string;
let permissionId: string;
let groupGrantId: string;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  made = await workedExamples(manager);
  await makeRole();
  await makeGroup();
  await makeUser();
}, 60_000);

afterAll(() => manager.stop());

const post = <T = WithId>(path: string, body: Record<string, unknown>) =>
  manager.root.done<T & { effective: boolean }>(path, body);

async function makeRole(): Promise<void> {
  ({ id: roleId } = await post('/api/role/create', { tenant: 'acme', name: 'reader' }));
  await permit();
}

async function permit(): Promise<void> {
  const table = { catalog: 'acme_tpch', schema: 'tpch1', table: 'customer', verb: 'RO' };
  ({ id: permissionId } = await post('/api/role/permission/grant', { roleId, ...table }));
}

async function makeGroup(): Promise<void> {
  ({ id: groupId } = await post('/api/group/create', { tenant: 'acme', name: 'readers' }));
  await post('/api/membership/group-role/add', { groupId, roleId });
  await grantPool();
}

async function grantPool(): Promise<void> {
  const grant = { tenant: 'acme', poolId: made.pools.bi, groupId };
  ({ id: groupGrantId } = await post('/api/pool/permission/grant', grant));
}

async function makeUser(): Promise<void> {
  const account = { tenant: 'acme', username: 'victim', password: PASSWORD };
  ({ id: victim } = await post('/api/user/create', { ...account, roles: ['gadwall_no_tables'], groups: ['readers'] }));
}

const member = () => ({ userId: victim, groupId });
const pool = { tenant: 'acme', tenantDb: 'tpch', pool: 'bi' };

const KINDS: Kind[] = [
  {
    name: 'membership in a group',
    revoke: () => post('/api/membership/user-group/remove', member()),
    restore: () => post('/api/membership/user-group/add', member()),
  },
  {
    name: 'role of a group',
    revoke: () => post('/api/membership/group-role/remove', { groupId, roleId }),
    restore: () => post('/api/membership/group-role/add', { groupId, roleId }),
  },
  {
    name: 'permission',
    revoke: () => post('/api/role/permission/revoke', { id: permissionId }),
    restore: permit,
  },
  {
    name: 'role deleted',
    revoke: () => post('/api/role/delete', { id: roleId }),
    restore: async () => {
      await makeRole();
      await post('/api/membership/group-role/add', { groupId, roleId });
    },
  },
  {
    name: 'pool grant',
    revoke: () => post('/api/pool/permission/revoke', { id: groupGrantId }),
    restore: grantPool,
  },
  {
    name: 'role of a user',
    revoke: async () => {
      await post('/api/membership/user-role/add', { userId: victim, roleId });
      await post('/api/membership/group-role/remove', { groupId, roleId });
      return post('/api/membership/user-role/remove', { userId: victim, roleId });
    },
    restore: () => post('/api/membership/group-role/add', { groupId, roleId }),
  },
  {
    name: 'pool grant of a user',
    revoke: async () => {
      const own = await post('/api/pool/permission/grant', { tenant: 'acme', poolId: made.pools.bi, userId: victim });
      await post('/api/pool/permission/revoke', { id: groupGrantId });
      return post('/api/pool/permission/revoke', { id: own.id });
    },
    restore: grantPool,
  },
  {
    name: 'pool switched off',
    revoke: () => post('/api/pool/setDisabled', { ...pool, disabled: true }),
    restore: () => post('/api/pool/setDisabled', { ...pool, disabled: false }),
  },
  {
    name: 'tenant switched off',
    revoke: () => post('/api/tenant/setDisabled', { name: 'acme', disabled: true }),
    restore: () => post('/api/tenant/setDisabled', { name: 'acme', disabled: false }),
  },
  {
    name: 'group deleted',
    revoke: () => post('/api/group/delete', { id: groupId }),
    restore: async () => {
      await makeGroup();
      await post('/api/membership/user-group/add', member());
    },
  },
  {
    name: 'user disabled',
    loggedOut: true,
    revoke: () => post('/api/user/update', { id: victim, enabled: false }),
    restore: () => post('/api/user/update', { id: victim, enabled: true }),
  },
  {
    name: 'user deleted',
    loggedOut: true,
    revoke: () => post('/api/user/delete', { id: victim }),
    restore: makeUser,
  },
];

async function hammer(): Promise<Hammer> {
  const client: ApiClient = await manager.login('victim', 'acme');
  const started = await Hammer.start(client, 'bi', 'SELECT count(*) FROM customer');
  await started.until(0, 200, SHOWS_MS);
  return started;
}

test(
  `${REVOKES} revokes of every kind under fire: no stale allow after effective: true, re-grants show at once`,
  async () => {
    let hammering = await hammer();
    let statements = 0;
    const waits: number[] = [];
    for (let i = 0; i < REVOKES; i++) {
      const kind = KINDS[i % KINDS.length] as Kind;
      const before = performance.now();
      const answer = (await kind.revoke()) as { effective: boolean };
      const revoked = performance.now();
      waits.push(revoked - before);
      expect({ kind: kind.name, effective: answer.effective }).toEqual({ kind: kind.name, effective: true });
      // Until the next that were sent have been refused.
      await hammering.until(revoked, kind.loggedOut ? 401 : 403, SHOWS_MS);
      const restoring = performance.now();
      await kind.restore();
      const restored = performance.now();
      if (kind.loggedOut) {
        await hammering.stop();
        expect({ kind: kind.name, stale: hammering.allowed(revoked, Infinity) }).toEqual({
          kind: kind.name,
          stale: [],
        });
        statements += hammering.sent.length;
        hammering = await hammer();
      } else {
        await hammering.until(restored, 200, SHOWS_MS);
        expect({ kind: kind.name, stale: hammering.allowed(revoked, restoring) }).toEqual({
          kind: kind.name,
          stale: [],
        });
      }
    }
    await hammering.stop();
    statements += hammering.sent.length;
    waits.sort((a, b) => a - b);
    const at = (share: number) => (waits[Math.floor(waits.length * share)] ?? 0).toFixed(1);
    process.stdout.write(
      `${REVOKES} revokes, ${statements} statements: answered effective after p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`,
    );
  },
  60_000 + REVOKES * 500,
);
