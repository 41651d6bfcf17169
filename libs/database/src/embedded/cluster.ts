import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ScramClient } from './scram-client';
import { writePrivateFile, type ClusterRecord, type DataFolder } from './data-folder';
import type { Binaries } from './binaries';

/** PostgreSQL's administrator, whom only the launcher uses. */
const ADMIN = 'postgres';
/** Owner of the control-plane database, without rights beyond it. */
const OWNER = 'gadwall';
const DATABASE = 'gadwall';

/** Makes a new, empty cluster that asks everyone for a password, and records it. */
export function createCluster(folder: DataFolder, binaries: Binaries, disposable = false): ClusterRecord {
  const draft = folder.makeDraft();
  const record: ClusterRecord = {
    directory: draft.replace(/\.draft$/, ''),
    adminPassword: randomBytes(24).toString('base64url'),
    password: randomBytes(24).toString('base64url'),
  };
  const { account } = folder;
  const passwordFile = join(dirname(draft), `.${randomBytes(6).toString('hex')}`);
  writePrivateFile(passwordFile, record.adminPassword);
  try {
    if (account) chownSync(passwordFile, account.uid, account.gid);
    // Peers over a local socket are refused: that way in knows no password.
    const options = [
      '--auth-local=reject',
      '--auth-host=scram-sha-256',
      `--pwfile=${passwordFile}`,
      ...(disposable ? ['--no-sync'] : []),
    ];
    const place = ['-D', draft, '-U', ADMIN, '-E', 'UTF8', '--locale=C'];
    const made = spawnSync(binaries.initdb, [...place, ...options], {
      ...account,
      cwd: '/',
      env: serverEnvironment(),
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, record.directory);
  folder.writeRecord(record);
  return record;
}

/** @throws if this build's server cannot run on the cluster */
export function requireSameMajor(record: ClusterRecord, binaries: Binaries): void {
  let major: string;
  try {
    major = readFileSync(join(record.directory, 'PG_VERSION'), 'utf8').trim();
  } catch (cause) {
    throw new Error(`the database in ${record.directory} is gone: put it back, or remove postgres.json to start anew`, {
      cause,
    });
  }
  if (major !== binaries.version.split('.')[0]) {
    throw new Error(
      `${record.directory} is of PostgreSQL ${major}, this build has ${binaries.version}: dump it with the old one`,
    );
  }
}

/** What server and tools get of our environment: nothing that a password or key could be in. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP } = process.env;
  return { PATH, SystemRoot, TEMP, LC_ALL: 'C', TZ: 'UTC' };
}

/** Address of a database of the cluster's server. */
export function clusterUrl(record: ClusterRecord, port: number, as: 'admin' | 'owner'): string {
  return as === 'admin'
    ? `postgresql://${ADMIN}:${record.adminPassword}@127.0.0.1:${port}/postgres`
    : `postgresql://${OWNER}:${record.password}@127.0.0.1:${port}/${DATABASE}`;
}

/** Whether the server at this port is the cluster's: it proves to know our password, we prove the same, and it names the place. */
export async function isServerOf(record: ClusterRecord, port: number): Promise<boolean> {
  return asAdmin(record, port, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory === record.directory;
  });
}

/** Makes the database and its owner, where they are not there yet. */
export async function ensureDatabase(record: ClusterRecord, port: number): Promise<void> {
  await asAdmin(record, port, async (client) => {
    const roles = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [OWNER]);
    if (roles.rowCount === 0) await client.query(`CREATE ROLE ${OWNER} LOGIN PASSWORD '${record.password}'`);
    const databases = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
    await client.query(`REVOKE CONNECT ON DATABASE ${DATABASE} FROM PUBLIC`);
  });
}

async function asAdmin<T>(record: ClusterRecord, port: number, use: (client: ScramClient) => Promise<T>): Promise<T> {
  const client = new ScramClient({
    connectionString: clusterUrl(record, port, 'admin'),
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => {}); // reported by the query under way
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether a connection failed because the server has another password than the record: it will not get better. */
export function isWrongPassword(error: unknown): boolean {
  return (error as { code?: string }).code === '28P01';
}
