import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openDatabase } from '@gadwall/database';
import { leaseTiming } from '@gadwall/events';
import type { Pool } from 'pg';
import { createManager } from '../apps/manager/src/app';

/** Its static key, and the password of every account. */
export const KEY = 'key-of-the-bench';

/** A manager on a database of its own, with its nodes. */
export interface BenchManager {
  app: NestFastifyApplication;
  pool: Pool;
  url: string;
  /** A call with the static key that must succeed. */
  post: <T>(path: string, body: Record<string, unknown>) => Promise<T>;
  stop: () => Promise<void>;
}

export async function startBenchManager(): Promise<BenchManager> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gadwall-bench-'));
  const database = await openDatabase({ dataDir, disposable: true });
  const app = await createManager(
    {
      host: '127.0.0.1',
      port: 0,
      dataDir,
      databaseUrl: null,
      apiKey: KEY,
      admin: { username: 'admin', password: KEY },
      session: { idleSec: 3600, absoluteSec: 28_800 },
      log: { level: 'silent', pretty: false },
      nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '256MB' },
      internal: {
        host: '127.0.0.1',
        port: 0,
        advertisedUrl: null,
        tls: 'auto',
        given: { certificate: null, ca: null },
        metricsToken: null,
      },
      policies: { columnPolicies: true, rowPolicies: true },
      leases: leaseTiming({}),
      flightSql: null,
    },
    database,
  );
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    app,
    pool: database.pool,
    url,
    async post<T>(path: string, body: Record<string, unknown>) {
      const headers = { 'content-type': 'application/json', 'x-api-key': KEY };
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    },
    async stop() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
