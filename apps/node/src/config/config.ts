import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkOf, type NodeLinkConfig } from './link';

/** What a node is started with; all of it comes from the environment (docs/configuration.md). */
export interface NodeConfig {
  joinToken: string;
  link: NodeLinkConfig;
  port: number;
  threads: number;
  memoryLimit: string;
  tempDirectory: string;
  cacheEntries: number;
  maxPerUser: number;
  /** How long what runs may take when the node is told to end, ms. */
  drainMs: number;
  /** Files of the engine's extensions that are loaded. */
  extensions: string[];
  /** Shown by who reads metrics from another machine; null: nobody does. */
  metricsToken: string | null;
}

/** @throws Error that names the variable */
export function nodeConfig(env: NodeJS.ProcessEnv): NodeConfig {
  return {
    joinToken: required(env, 'GADWALL_JOIN_TOKEN'),
    link: linkOf(env, required(env, 'GADWALL_MANAGER_URL')),
    port: whole(env, 'GADWALL_NODE_PORT', 0, 0, 65_535),
    threads: whole(env, 'GADWALL_NODE_THREADS', Math.max(1, cpus().length), 1, 1_024),
    memoryLimit: size(env, 'GADWALL_NODE_MEMORY_LIMIT', '2GB'),
    tempDirectory: env.GADWALL_NODE_TEMP_DIR ?? join(tmpdir(), `gadwall-node-${process.pid}`),
    cacheEntries: whole(env, 'GADWALL_AUTHZ_CACHE_ENTRIES', 10_000, 0, 10_000_000),
    maxPerUser: whole(env, 'GADWALL_NODE_MAX_STATEMENTS_PER_USER', 16, 1, 10_000),
    drainMs: whole(env, 'GADWALL_NODE_DRAIN_MS', 10_000, 0, 3_600_000),
    extensions: env.GADWALL_NODE_SQLITE_EXTENSION ? [env.GADWALL_NODE_SQLITE_EXTENSION] : [],
    metricsToken: env.GADWALL_METRICS_TOKEN || null,
  };
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
}

function whole(env: NodeJS.ProcessEnv, name: string, fallback: number, least: number, most: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new Error(`${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return value;
}

function size(env: NodeJS.ProcessEnv, name: string, fallback: string): string {
  const text = env[name] ?? fallback;
  if (!/^[1-9][0-9]*(\.[0-9]+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/.test(text)) {
    throw new Error(`${name} must be a size such as 2GB, not ${JSON.stringify(text)}`);
  }
  return text;
}
