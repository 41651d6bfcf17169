import {
  type GivenTls,
  isLoopback,
  isUnprotected,
  PemError,
  readPemFiles,
  TLS_MODES,
  type TlsMode,
  usesTls,
} from '@gadwall/link';

/** How a node and its manager reach each other. */
export interface NodeLinkConfig {
  managerUrl: string;
  /** Of the manager's certificate; null = that is a given one, or it speaks no TLS. */
  managerFingerprint: string | null;
  host: string;
  /** Where managers reach the node; null = where it listens. */
  advertisedUrl: string | null;
  /** Whether the node speaks TLS where it listens. */
  tls: boolean;
  given: GivenTls;
}

/** @throws Error that names the variable */
export function linkOf(env: NodeJS.ProcessEnv, managerUrl: string): NodeLinkConfig {
  const host = env.GADWALL_NODE_HOST || '127.0.0.1';
  const mode = tlsMode(env);
  if (isUnprotected(mode, host)) {
    throw new Error('GADWALL_NODE_TLS must be auto or on where GADWALL_NODE_HOST is not of the loopback');
  }
  const files = given(env);
  const managerFingerprint = env.GADWALL_MANAGER_FINGERPRINT || null;
  if (managerFingerprint !== null && !/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/.test(managerFingerprint)) {
    throw new Error('GADWALL_MANAGER_FINGERPRINT must be a SHA-256 in hexadecimal, AB:CD:…');
  }
  return {
    managerUrl: linkUrl('GADWALL_MANAGER_URL', managerUrl),
    managerFingerprint,
    host,
    advertisedUrl: env.GADWALL_NODE_URL ? linkUrl('GADWALL_NODE_URL', env.GADWALL_NODE_URL) : null,
    tls: usesTls(mode, host, files.certificate !== null),
    given: files,
  };
}

function tlsMode(env: NodeJS.ProcessEnv): TlsMode {
  const text = env.GADWALL_NODE_TLS || 'auto';
  const mode = TLS_MODES.find((known) => known === text);
  if (mode === undefined) throw new Error(`GADWALL_NODE_TLS must be one of ${TLS_MODES.join(', ')}`);
  return mode;
}

function linkUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname)))
    return text.replace(/\/+$/, '');
  throw new Error(`${name} must be an https:// URL, or an http:// one of the loopback`);
}

function given(env: NodeJS.ProcessEnv): GivenTls {
  const variables = { cert: 'GADWALL_NODE_TLS_CERT', key: 'GADWALL_NODE_TLS_KEY', ca: 'GADWALL_NODE_TLS_CA' } as const;
  const path = (name: string) => env[name] || null;
  try {
    return readPemFiles({ cert: path(variables.cert), key: path(variables.key), ca: path(variables.ca) });
  } catch (error) {
    throw error instanceof PemError ? new Error(`${variables[error.file]} must be ${error.message}`) : error;
  }
}
