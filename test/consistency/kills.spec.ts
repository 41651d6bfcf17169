import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processesNaming } from '../support/cli';
import { GadwallProcess } from '../support/gadwall-process';
import { API_KEY, type ApiClient, clientOf, loginAt } from '../support/manager';
import { workedExamples, type Workshop } from '../support/worked-examples';

/** A tenth of the long run (`npm run soak`). */
const KILLS = process.env.GADWALL_SOAK ? 50 : 5;
const GADWALL = join(__dirname, '../../dist/apps/cli/src/main.js');

interface WithId {
  id: string;
}

/** What is known of the roles that were made and deleted under fire. */
interface Ledger {
  /** Made, as an answer said, and not asked to be deleted. */
  there: Set<string>;
  /** Deleted, as an answer said. */
  gone: Set<string>;
  answered: number;
  unknown: number;
}

const gadwall = new GadwallProcess(null);
const ledger: Ledger = { there: new Set(), gone: new Set(), answered: 0, unknown: 0 };
let root: ApiClient;
let made: Workshop;
let names = 0;

beforeAll(async () => {
  await gadwall.start();
  root = clientOf(gadwall.url, API_KEY);
  made = await workedExamples({ root });
}, 90_000);

/** What a mutation answered; null when nobody did. */
async function mutate<T>(path: string, body: Record<string, unknown>): Promise<T | null> {
  const answer = await root.post(path, body).catch(() => null);
  if (answer === null) ledger.unknown++;
  if (answer?.status !== 200) return null;
  ledger.answered++;
  return answer.body as T;
}

/** Makes roles with permissions and edges, and deletes some, until told to stop. */
async function administrate(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const role = await mutate<WithId>('/api/role/create', { tenant: 'acme', name: `r${names++}` });
    if (!role) {
      await delay(20);
      continue;
    }
    ledger.there.add(role.id);
    const table = { catalog: 'acme_tpch', schema: 'tpch1', table: 'nation', verb: 'RO' };
    await mutate('/api/role/permission/grant?wait=false', { roleId: role.id, ...table });
    await mutate('/api/membership/user-role/add', { userId: made.users.bob, roleId: role.id });
    if (names % 3 > 0) continue;
    ledger.there.delete(role.id);
    if (await mutate('/api/role/delete', { id: role.id })) ledger.gone.add(role.id);
  }
}

/** Statements of a user who may read `orders`; what is answered must be right. */
async function read(over: AbortSignal): Promise<void> {
  let alice: ApiClient | null = null;
  while (!over.aborted) {
    alice ??= await loginAt(gadwall.url, 'alice', 'acme').catch(() => null);
    const sql = 'SELECT count(*) FROM orders';
    const answer = await alice?.post('/api/sql', { pool: 'bi', sql }).catch(() => null);
    if (answer?.status === 200) expect(answer.body).toMatchObject({ rows: [[20]] });
    else await delay(20);
  }
}

function nodePid(): number | undefined {
  return processesNaming(gadwall.dataDir)
    .map(Number)
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('apps/node/src/main.js'));
}

const events = async (...args: string[]) => {
  const env = { ...process.env, GADWALL_DATA_DIR: gadwall.dataDir };
  return (await promisify(execFile)(process.execPath, [GADWALL, 'events', ...args], { env })).stdout;
};

/** The log is whole, and the tables are what it says. */
async function check(): Promise<void> {
  expect(JSON.parse(await events('verify', '--json'))).toMatchObject({ problems: [] });
  expect(JSON.parse(await events('rebuild', '--json'))).toMatchObject({ differences: [] });
  const listed = (await root.get('/api/role/list?tenant=acme')).body as { roles: WithId[] };
  const ids = new Set(listed.roles.map(({ id }) => id));
  expect([...ledger.there].filter((id) => !ids.has(id))).toEqual([]);
  expect([...ledger.gone].filter((id) => ids.has(id))).toEqual([]);
}

test(
  `${KILLS} times killed in the middle of changes and statements: no event is lost or half applied`,
  async () => {
    for (let i = 0; i < KILLS; i++) {
      const over = new AbortController();
      const work = [administrate, administrate, administrate, read, read].map((task) => task(over.signal));
      await delay(300 + Math.random() * 700);
      if (i % 2 === 0) {
        await gadwall.kill();
        await gadwall.start();
      } else process.kill(nodePid() ?? 0, 'SIGKILL');
      const back = ledger.answered + 5;
      while (ledger.answered < back) await delay(20);
      over.abort();
      await Promise.all(work);
      await check();
    }
    process.stdout.write(
      `${KILLS} kills, ${ledger.answered} changes answered, ${ledger.unknown} of unknown outcome: log and tables agree\n`,
    );
  },
  60_000 + KILLS * 40_000,
);

test('when Gadwall ends nothing is left running', async () => {
  await gadwall.stop();
  for (const end = Date.now() + 15_000; processesNaming(gadwall.dataDir).length > 0; await delay(50)) {
    if (Date.now() > end) throw new Error(`still running: ${processesNaming(gadwall.dataDir).join(', ')}`);
  }
}, 40_000);
