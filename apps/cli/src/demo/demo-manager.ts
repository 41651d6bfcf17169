import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../outcome';
import { startManager, type ManagerProcess } from '../serve';
import { Api } from './api';
import type { DemoFolder } from './demo-folder';

const DEFAULT_PORT = 20900;
/** How long a manager may take until it serves, ms: on a slow machine PostgreSQL alone takes many seconds. */
const READY_MS = 180_000;

/** The port that the demo asks for. @throws UsageError */
export function wantedPort(env: NodeJS.ProcessEnv): number {
  const text = env.GADWALL_PORT || String(DEFAULT_PORT);
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError('GADWALL_PORT must be a whole number from 0 to 65535');
  }
  return Number(text);
}

/** A manager on an embedded database in the demo's folder, whatever the environment says for others. */
export async function startDemoManager(folder: DemoFolder, port: number): Promise<ManagerProcess> {
  const log = openSync(folder.file(LOG), 'a', 0o600);
  try {
    const manager = await startManager({ env: managerEnvironment(folder, port), output: log, ownGroup: true });
    folder.usedBy(process.pid, manager.pid);
    return manager;
  } finally {
    closeSync(log);
  }
}

const LOG = 'manager.log';

function managerEnvironment(folder: DemoFolder, port: number): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => name !== 'DATABASE_URL' && !name.startsWith('GADWALL_'));
  return {
    ...Object.fromEntries(ours),
    GADWALL_DATA_DIR: folder.path,
    // The demo's passwords are known to everyone.
    GADWALL_HOST: '127.0.0.1',
    GADWALL_PORT: String(port),
    GADWALL_LOG_FORMAT: 'json',
  };
}

/** @throws an error with the end of the manager's log if it ends before, or does not serve in time */
export async function untilReady(
  api: Api,
  manager: ManagerProcess,
  folder: DemoFolder,
  signal: AbortSignal,
): Promise<void> {
  for (const end = Date.now() + READY_MS; !(await api.ready()); await sleep(100, undefined, { signal })) {
    const { exitCode } = manager;
    const problem =
      exitCode === null ? `does not serve after ${READY_MS / 1000} s` : `ended with exit code ${exitCode}`;
    if (exitCode !== null || Date.now() > end) throw new Error(`the manager ${problem}:\n${endOfLog(folder)}`);
  }
}

function endOfLog(folder: DemoFolder): string {
  const file = folder.file(LOG);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15);
  return `${lines.map((line) => `  ${line}`).join('\n')}\nIts whole log is ${file}`;
}
