import { isAbsolute, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { leaseTiming, type LeaseTiming } from '@gadwall/events';
import type { PemPaths } from '@gadwall/link';
import type { PolicySwitches } from '@gadwall/rbac';
import { type InternalConfig, internalOf, nodeLinkOf } from './internal';
import { absolutePath, ConfigError, type Environment, integer, oneOf, size, text } from './reading';

/** Everything that the manager is started with; `readConfig` makes it of the environment, tests write it by hand. */
export interface ManagerConfig {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** Where the manager keeps files of its own; absolute. */
  dataDir: string;
  /** PostgreSQL; null = the embedded server under `dataDir`. */
  databaseUrl: string | null;
  /** The static key, which acts as a superuser; null = none. */
  apiKey: string | null;
  /** The superuser that is made when there is none; without a password one is made up. */
  admin: { username: string; password: string | null };
  /** Limits of a login session, seconds. */
  session: { idleSec: number; absoluteSec: number };
  /** `destination`: where lines go instead of standard output. */
  log: { level: string; pretty: boolean; destination?: Writable };
  /** The nodes that this manager starts. */
  nodes: NodeSettings;
  /** The routes for nodes. */
  internal: InternalConfig;
  /** Which policies are in force on the whole installation: kill switches for an incident. */
  policies: PolicySwitches;
  /** Times of leases and barriers. */
  leases: LeaseTiming;
  /** What clients are told about the doors; null = that door is not open. */
  flightSql: { host: string; port: number; tls: boolean } | null;
}

/** Whether a manager starts nodes, and what each is started with; absent = the node's own default. */
export interface NodeSettings {
  start: boolean;
  /** How long what runs on a node may take when it is told to end, ms. */
  drainMs: number;
  threads?: number;
  memoryLimit?: string;
  /** Verdicts that a node keeps. */
  cacheEntries?: number;
  /** Statements that one user may have under way on a node. */
  maxPerUser?: number;
  /** The file of the engine's SQLite extension; null = federated sources of that type are not to be had. */
  sqliteExtension?: string | null;
  /** Where a node listens. */
  host?: string;
  /** Paths of the PEM files that it is given. */
  tls?: PemPaths;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

function databaseUrl(env: Environment): string | null {
  const value = text(env, 'DATABASE_URL');
  if (value === null) return null;
  if (!URL.canParse(value) || !['postgres:', 'postgresql:'].includes(new URL(value).protocol)) {
    throw new ConfigError('DATABASE_URL', 'a postgresql:// URL');
  }
  return value;
}

/**
 * The configuration from environment variables; docs/configuration.md lists them.
 *
 * @throws ConfigError naming the first variable that cannot be used
 */
export function readConfig(env: Environment): ManagerConfig {
  const dataDir = text(env, 'GADWALL_DATA_DIR') ?? '.gadwall';
  const day = 86_400;
  return {
    host: text(env, 'GADWALL_HOST') ?? '127.0.0.1',
    port: integer(env, 'GADWALL_PORT', 20900, { min: 0, max: 65_535 }),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    databaseUrl: databaseUrl(env),
    apiKey: text(env, 'GADWALL_API_KEY'),
    admin: {
      username: text(env, 'GADWALL_ADMIN_USERNAME') ?? 'admin',
      password: text(env, 'GADWALL_ADMIN_PASSWORD'),
    },
    session: {
      idleSec: integer(env, 'GADWALL_SESSION_IDLE_SEC', 3600, { min: 1, max: 365 * day }),
      absoluteSec: integer(env, 'GADWALL_SESSION_ABSOLUTE_SEC', 8 * 3600, { min: 1, max: 365 * day }),
    },
    log: {
      level: oneOf(env, 'GADWALL_LOG_LEVEL', 'info', LOG_LEVELS),
      pretty:
        oneOf(env, 'GADWALL_LOG_FORMAT', process.stdout.isTTY ? 'pretty' : 'json', ['pretty', 'json']) === 'pretty',
    },
    nodes: { ...nodesOf(env), ...nodeLinkOf(env) },
    internal: internalOf(env),
    policies: {
      columnPolicies: oneOf(env, 'GADWALL_CLS_ENABLED', 'true', ['true', 'false']) === 'true',
      rowPolicies: oneOf(env, 'GADWALL_RLS_ENABLED', 'true', ['true', 'false']) === 'true',
    },
    leases: leasesOf(env),
    flightSql: null,
  };
}

function nodesOf(env: Environment): NodeSettings {
  return {
    start: oneOf(env, 'GADWALL_START_NODES', 'true', ['true', 'false']) === 'true',
    drainMs: integer(env, 'GADWALL_NODE_DRAIN_MS', 10_000, { min: 0, max: 3_600_000 }),
    threads:
      text(env, 'GADWALL_NODE_THREADS') === null
        ? undefined
        : integer(env, 'GADWALL_NODE_THREADS', 1, { min: 1, max: 1024 }),
    memoryLimit: size(env, 'GADWALL_NODE_MEMORY_LIMIT', '2GB'),
    cacheEntries: integer(env, 'GADWALL_AUTHZ_CACHE_ENTRIES', 10_000, { min: 0, max: 10_000_000 }),
    maxPerUser: integer(env, 'GADWALL_NODE_MAX_STATEMENTS_PER_USER', 16, { min: 1, max: 10_000 }),
    sqliteExtension: absolutePath(env, 'GADWALL_NODE_SQLITE_EXTENSION'),
  };
}

function leasesOf(env: Environment): LeaseTiming {
  const ttlMs = integer(env, 'GADWALL_LEASE_TTL_MS', 3000, { min: 300, max: 60_000 });
  const barrierLimitMs = integer(env, 'GADWALL_BARRIER_LIMIT_MS', 2 * ttlMs, { min: 0, max: 600_000 });
  return leaseTiming({ ttlMs, barrierLimitMs });
}
