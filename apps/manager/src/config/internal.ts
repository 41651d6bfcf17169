import {
  type GivenTls,
  isLoopback,
  isUnprotected,
  PemError,
  type PemPaths,
  readPemFiles,
  TLS_MODES,
  type TlsMode,
} from '@gadwall/link';
import { ConfigError, type Environment, integer, oneOf, text } from './reading';

/** The routes for nodes, and how manager and nodes know each other there. */
export interface InternalConfig {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** Where nodes reach it if not there. */
  advertisedUrl: string | null;
  /** For this port and for those of nodes that the manager starts. */
  tls: TlsMode;
  /** The certificate that nodes are shown (null = one of the manager's own making), and whence given ones of nodes come. */
  given: GivenTls;
  /** Shown by who reads metrics from another machine; null: nobody does. Handed on to nodes. */
  metricsToken: string | null;
}

const MANAGER_FILES = {
  cert: 'GADWALL_INTERNAL_TLS_CERT',
  key: 'GADWALL_INTERNAL_TLS_KEY',
  ca: 'GADWALL_INTERNAL_TLS_CA',
} as const;

const NODE_FILES = {
  cert: 'GADWALL_NODE_TLS_CERT',
  key: 'GADWALL_NODE_TLS_KEY',
  ca: 'GADWALL_NODE_TLS_CA',
} as const;

/** @throws ConfigError */
export function internalOf(env: Environment): InternalConfig {
  const host = text(env, 'GADWALL_INTERNAL_HOST') ?? '127.0.0.1';
  const tls = tlsMode(env);
  if (isUnprotected(tls, host)) throw unprotected('GADWALL_INTERNAL_HOST');
  return {
    host,
    port: integer(env, 'GADWALL_INTERNAL_PORT', 0, { min: 0, max: 65_535 }),
    advertisedUrl: advertisedUrl(env),
    tls,
    given: read(env, MANAGER_FILES),
    metricsToken: text(env, 'GADWALL_METRICS_TOKEN'),
  };
}

/** What is handed on to nodes: checked here, so that a mistake stops the manager's start and not each of theirs. */
export function nodeLinkOf(env: Environment): { host: string; tls: PemPaths } {
  const host = text(env, 'GADWALL_NODE_HOST') ?? '127.0.0.1';
  if (isUnprotected(tlsMode(env), host)) throw unprotected('GADWALL_NODE_HOST');
  read(env, NODE_FILES);
  const { cert, key, ca } = paths(env, NODE_FILES);
  return { host, tls: { cert, key, ca: ca ?? text(env, MANAGER_FILES.ca) } };
}

function tlsMode(env: Environment): TlsMode {
  return oneOf(env, 'GADWALL_INTERNAL_TLS', 'auto', TLS_MODES) as TlsMode;
}

function unprotected(host: string): ConfigError {
  return new ConfigError('GADWALL_INTERNAL_TLS', `auto or on where ${host} is not of the loopback`);
}

function advertisedUrl(env: Environment): string | null {
  const value = text(env, 'GADWALL_INTERNAL_URL');
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) {
    return value.replace(/\/+$/, '');
  }
  throw new ConfigError('GADWALL_INTERNAL_URL', 'an https:// URL, or an http:// one of the loopback');
}

function paths(env: Environment, files: Readonly<Record<keyof PemPaths, string>>): PemPaths {
  return { cert: text(env, files.cert), key: text(env, files.key), ca: text(env, files.ca) };
}

function read(env: Environment, files: Readonly<Record<keyof PemPaths, string>>): GivenTls {
  try {
    return readPemFiles(paths(env, files));
  } catch (error) {
    throw error instanceof PemError ? new ConfigError(files[error.file], error.message) : error;
  }
}
