import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Pool } from 'pg';
import request from 'supertest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaseTiming } from '@gadwall/events';
import { createManager } from '../../apps/manager/src/app';
import type { ManagerConfig } from '../../apps/manager/src/config';
import { freshDatabase, type FreshDatabase } from './fresh-database';

/** The static key of managers under test. */
export const API_KEY = 'key-of-the-test';

/** The password of every account that a test makes. */
export const PASSWORD = 'correct horse';

type Body = Record<string, unknown>;

/** One caller's way to the API: every call carries its credential. */
export interface ApiClient {
  post(path: string, body?: Body): request.Test;
  get(path: string): request.Test;
  send(method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: Body): request.Test;
  /** The body of a call that must succeed. */
  done<T = Body>(path: string, body?: Body): Promise<T>;
}

/** A manager on a real database, served on a port of its own. */
export interface TestManager {
  app: NestFastifyApplication;
  db: Pool;
  url: string;
  database: FreshDatabase;
  dataDir: string;
  /** Without a credential. */
  anonymous: ApiClient;
  /** With the static key. */
  root: ApiClient;
  /** With any credential. */
  as(token: string): ApiClient;
  login(username: string, tenant: string | null, password?: string): Promise<ApiClient>;
  stop(): Promise<void>;
}

/** A way to the API at a URL, with a credential: a session's token or the static key. */
export function clientOf(url: string, credential: string | null): ApiClient {
  const withKey = (test: request.Test): request.Test =>
    credential === null ? test : test.set('X-API-Key', credential);
  const client: ApiClient = {
    post: (path, body) => withKey(request(url).post(path)).send(body),
    get: (path) => withKey(request(url).get(path)),
    send: (method, path, body) => {
      const test = withKey(request(url)[method](path));
      return method === 'get' ? test : test.send(body);
    },
    async done<T>(path: string, body?: Body): Promise<T> {
      const answer = await client.post(path, body ?? {});
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      return answer.body as T;
    },
  };
  return client;
}

/** Logs in at a URL. */
export async function loginAt(
  url: string,
  username: string,
  tenant: string | null,
  password = PASSWORD,
): Promise<ApiClient> {
  const body = { username, password, tenant };
  const answer = await clientOf(url, null).done<{ token: string }>('/api/auth/login', body);
  return clientOf(url, answer.token);
}

type Settings = Partial<Omit<ManagerConfig, 'internal'>> & { internal?: Partial<ManagerConfig['internal']> };

const LOOPBACK: ManagerConfig['internal'] = {
  host: '127.0.0.1',
  port: 0,
  advertisedUrl: null,
  tls: 'auto',
  given: { certificate: null, ca: null },
  metricsToken: null,
};

/** Starts a manager on a database of its own, or on one that is given. */
export async function startManager(
  { internal, ...settings }: Settings = {},
  existing?: FreshDatabase,
): Promise<TestManager> {
  const database = existing ?? (await freshDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'gadwall-data-'));
  const pool = new Pool({ connectionString: database.url });
  pool.on('error', () => {}); // specs take the database away on purpose
  const config: ManagerConfig = {
    host: '127.0.0.1',
    port: 0,
    dataDir,
    databaseUrl: database.url,
    apiKey: API_KEY,
    admin: { username: 'admin', password: PASSWORD },
    session: { idleSec: 3600, absoluteSec: 28_800 },
    log: { level: 'silent', pretty: false },
    // Specs of the control plane need no engine; those of the SQL door switch them on.
    nodes: { start: false, drainMs: 10_000, threads: 1, memoryLimit: '512MB' },
    internal: { ...LOOPBACK, ...internal },
    policies: { columnPolicies: true, rowPolicies: true },
    leases: leaseTiming({}),
    flightSql: null,
    ...settings,
  };
  const app = await createManager(config, { pool, close: () => pool.end() });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const manager: TestManager = {
    app,
    db: database.pool,
    database,
    url,
    dataDir,
    anonymous: clientOf(url, null),
    root: clientOf(url, API_KEY),
    as: (token) => clientOf(url, token),
    login: (username, tenant, password) => loginAt(url, username, tenant, password),
    async stop() {
      await app.close();
      if (existing === undefined) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return manager;
}
