import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../outcome';
import type { ManagerProcess } from '../serve';
import { Api } from './api';
import { DemoFolder } from './demo-folder';
import { startDemoManager, untilReady, wantedPort } from './demo-manager';
import { showPolicies } from './policies';
import { choosePort } from './port';
import { createTenant, demoPassword, TENANTS, type DemoTenant, type MadeTenant } from './tenants';
import { Terminal } from './terminal';
import { howToTry } from './try-it';
import { Walk, type Callers } from './walk';
import { OTHER_TENANT, WORKED_EXAMPLES } from './worked-examples';

/** How long a pool may take until it answers, ms. */
const POOL_MS = 120_000;

/** A manager that serves, with what is needed to talk to it. */
interface Running {
  manager: ManagerProcess;
  folder: DemoFolder;
  root: Api;
  adminPassword: string;
}

/** Starts everything on this machine, shows the worked examples, and stays up unless told to exit. */
export async function demoCommand({ exit = false }: { exit?: boolean }): Promise<void> {
  const terminal = new Terminal();
  const interrupted = new AbortController();
  // A second signal ends this process at once; the manager then stops by itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());
  terminal.line('Gadwall demo: grant once, every statement is judged on the plan that DuckDB bound for it');
  terminal.line();
  try {
    await withManager(terminal, interrupted.signal, async (running) => {
      process.exitCode = (await show(terminal, running)) ? EXIT.clean : EXIT.faulty;
      if (!exit) await stayUp(terminal, running, interrupted.signal);
    });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    process.exitCode = INTERRUPTED;
  }
}

const INTERRUPTED = 130;

async function withManager(
  terminal: Terminal,
  signal: AbortSignal,
  use: (running: Running) => Promise<void>,
): Promise<void> {
  const folder = await DemoFolder.fresh(process.env.GADWALL_DATA_DIR || '.gadwall/demo');
  const wanted = wantedPort(process.env);
  const port = await choosePort(wanted);
  if (port !== wanted && wanted !== 0) terminal.line(`   port ${wanted} is taken: the demo uses ${port}`);
  const manager = await startDemoManager(folder, port);
  try {
    const api = new Api(`http://127.0.0.1:${port}`, signal);
    await terminal.step(
      'starting PostgreSQL and the manager',
      () => untilReady(api, manager, folder, signal),
      () => `PostgreSQL and the manager serve at ${api.url}`,
    );
    const adminPassword = readFileSync(folder.file('admin-password'), 'utf8').trim();
    await use({ manager, folder, root: await api.login('admin', adminPassword, null), adminPassword });
  } finally {
    await terminal.step(
      'stopping',
      () => manager.stop().then(() => folder.serverGone()),
      () => 'manager, nodes and PostgreSQL are stopped',
    );
  }
}

/** The whole story; false if a decision was not the expected one. */
async function show(terminal: Terminal, { root }: Running): Promise<boolean> {
  const acme = await load(terminal, root);
  const callers = await loginAll(root);
  const walk = new Walk(terminal, callers);
  for (const scene of [...WORKED_EXAMPLES, OTHER_TENANT]) await walk.scene(scene);
  const gap = await walk.revoke(root, acme);
  const governed = await showPolicies(terminal, root, walk.caller('alice'), acme);
  const { decisions, unexpected } = walk.count;
  terminal.heading('Summary');
  terminal.line(
    `   ${decisions - unexpected} of ${decisions} decisions as expected; the revoke was in force at the next statement, ${gap.toFixed(1)} ms later; what alice sees under policies is ${governed ? 'what they say' : 'NOT what they say'}`,
  );
  terminal.line();
  return unexpected === 0 && governed;
}

/** Makes both tenants and starts their nodes; gives acme. */
async function load(terminal: Terminal, root: Api): Promise<MadeTenant> {
  const made: MadeTenant[] = [];
  for (const tenant of TENANTS) {
    const what = `tenant ${tenant.id}: database, pools, roles, groups, users and grants`;
    made.push(
      await terminal.step(
        `making ${what}`,
        () => createTenant(root, tenant),
        () => `${what} are made, over REST`,
      ),
    );
  }
  for (const tenant of TENANTS) {
    const { id, database, fact } = tenant;
    await terminal.step(
      `starting a node for ${id}, and loading ${database.defaultDatabase}`,
      () => countFacts(root, tenant),
      (count) => `a node of ${id} serves ${database.defaultDatabase}: ${count.toLocaleString('en-US')} ${fact.of}`,
    );
  }
  const [acme] = made;
  if (!acme) throw new Error('there is no tenant');
  return acme;
}

/** Nodes start with the first statement, which is refused as long as one takes too long. */
async function countFacts(root: Api, { id, pools, fact }: DemoTenant): Promise<number> {
  for (const end = Date.now() + POOL_MS; ; await sleep(500)) {
    const { status, body } = await root.sql(id, pools[0] ?? '', `SELECT count(*) FROM ${fact.table}`);
    if (status === 200) return Number(body.rows?.[0]?.[0]);
    if (status !== 503 || Date.now() > end) throw new Error(`the node of ${id} does not serve: ${body.message}`);
  }
}

async function loginAll(root: Api): Promise<Callers> {
  const callers: Record<string, Api> = {};
  for (const { id, users } of TENANTS) {
    for (const { username } of users) callers[username] = await root.login(username, demoPassword(username), id);
  }
  return callers;
}

async function stayUp(
  terminal: Terminal,
  { manager, folder, root, adminPassword }: Running,
  signal: AbortSignal,
): Promise<void> {
  const dataDir = relative(process.cwd(), folder.path) || '.';
  terminal.line(howToTry({ url: root.url, adminPassword, dataDir }));
  const told = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
  const exitCode = await Promise.race([told, manager.ended]);
  if (exitCode !== null)
    throw new Error(`the manager ended with exit code ${exitCode}: see ${folder.file('manager.log')}`);
  terminal.line();
}
