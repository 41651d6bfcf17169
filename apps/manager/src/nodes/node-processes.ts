import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { MANAGER_CONFIG, type ManagerConfig, type NodeSettings } from '../config';
import { ChildProcesses, type Watchdog } from '../supervisor';
import { InternalServer } from './internal-server';
import { Joining } from './joining';

/** Injection token of the watchdog that ends nodes when the manager is killed; null in tests that run none. */
export const WATCHDOG = Symbol('watchdog');

/** What a node may take to end, once it is drained, before it is killed, ms. */
const STOP_MARGIN_MS = 5000;

/** What becomes of a node's process, each time. */
interface NodeEvents {
  /** It is told to end. */
  onEnding: () => void;
  /** It is no more. */
  onEnded: () => void;
}

/** The node processes of this manager, by name. */
@Injectable()
export class NodeProcesses {
  private readonly children: ChildProcesses;
  private readonly nodes = new Map<string, NodeEvents>();

  constructor(
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
    @Inject(WATCHDOG) watchdog: Watchdog | null,
    private readonly joining: Joining,
    private readonly server: InternalServer,
  ) {
    this.children = new ChildProcesses({
      watchdog: watchdog ?? undefined,
      onOutput: (name, line) => process.stderr.write(`node ${name}: ${line}\n`),
      onChange: ({ name, state }) => {
        if (state === 'stopping') this.nodes.get(name)?.onEnding();
        if (state !== 'waiting' && state !== 'stopped') return;
        this.joining.withdraw(name);
        this.nodes.get(name)?.onEnded();
      },
    });
  }

  /** Keeps a node running; each start has a join token of its own. */
  start(name: string, node: { managerUrl: string } & NodeEvents): void {
    this.nodes.set(name, node);
    this.children.start({
      name,
      command: process.execPath,
      args: [nodeProgram()],
      env: () => ({
        GADWALL_MANAGER_URL: node.managerUrl,
        GADWALL_JOIN_TOKEN: this.joining.issue(name),
        GADWALL_NODE_TEMP_DIR: join(this.config.dataDir, 'spill', name),
        GADWALL_NODE_DRAIN_MS: String(this.config.nodes.drainMs),
        ...settings({
          ...nodeVariables(this.config.nodes),
          ...linkVariables(this.config, node.managerUrl, this.server.fingerprint),
        }),
        // Every call of the engine holds a thread of this pool: well above the statements that run at once.
        UV_THREADPOOL_SIZE: '128',
      }),
      stopMs: this.config.nodes.drainMs + STOP_MARGIN_MS,
    });
  }

  /** Ends it at once, and starts it again: for one that is stuck. */
  restart(name: string): Promise<void> {
    return this.children.restart(name, 0);
  }

  async stop(name: string): Promise<void> {
    await this.children.stop(name);
    this.nodes.delete(name);
  }

  async stopAll(): Promise<void> {
    await this.children.stopAll();
    this.nodes.clear();
  }
}

type Variables = Record<string, string | number | null | undefined>;

/** What is set of a node's settings, as its variables. */
function nodeVariables(settings: NodeSettings): Variables {
  const { threads, memoryLimit, cacheEntries, maxPerUser, sqliteExtension } = settings;
  return {
    GADWALL_NODE_SQLITE_EXTENSION: sqliteExtension,
    GADWALL_NODE_THREADS: threads,
    GADWALL_NODE_MEMORY_LIMIT: memoryLimit,
    GADWALL_AUTHZ_CACHE_ENTRIES: cacheEntries,
    GADWALL_NODE_MAX_STATEMENTS_PER_USER: maxPerUser,
  };
}

/** How a node and this manager know each other. A fingerprint says nothing about what stands in between without TLS. */
function linkVariables({ internal, nodes }: ManagerConfig, managerUrl: string, fingerprint: string | null): Variables {
  return {
    GADWALL_MANAGER_FINGERPRINT: managerUrl.startsWith('https:') ? fingerprint : null,
    GADWALL_NODE_HOST: nodes.host,
    GADWALL_NODE_TLS: internal.tls,
    GADWALL_METRICS_TOKEN: internal.metricsToken,
    GADWALL_NODE_TLS_CERT: nodes.tls?.cert,
    GADWALL_NODE_TLS_KEY: nodes.tls?.key,
    GADWALL_NODE_TLS_CA: nodes.tls?.ca,
  };
}

function settings(variables: Variables): Record<string, string> {
  const set = Object.entries(variables).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

/** The node's program: built beside the manager's; when this runs from sources, the build's. */
function nodeProgram(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    for (const path of ['node/src/main.js', 'dist/apps/node/src/main.js']) {
      if (existsSync(join(folder, path))) return join(folder, path);
    }
  }
  throw new Error('the node is not built: npm run build');
}
