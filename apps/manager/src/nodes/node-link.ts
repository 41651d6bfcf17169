import { type buildConnector, Dispatcher, Pool } from 'undici';

/** Requests that a manager has under way with one node at most; more wait. */
const CONNECTIONS = 128;
/** Digests remembered as held by the node. */
const MAX_DIGESTS = 10_000;

/** A manager's line to one node in service. */
export class NodeLink {
  /** It lets what runs there come to its end, and takes nothing new. */
  draining = false;
  /** When it was last chosen for a statement: a count over all nodes. */
  chosenAt = 0;
  private readonly client: Pool;
  private readonly digests = new Set<string>();
  private readonly ofPools = new Map<string, number>();
  private gone = false;

  constructor(
    readonly nodeId: string,
    readonly url: string,
    /** Signs handles for this node. */
    readonly key: Buffer,
    /** See libs/link, `connectorTo`. */
    connect?: buildConnector.connector,
  ) {
    this.client = new Pool(url, {
      connections: CONNECTIONS,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
    });
  }

  get lost(): boolean {
    return this.gone;
  }

  holds(digest: string): boolean {
    return this.digests.has(digest);
  }

  /** The node has this set; it may have dropped it again, and says so then. */
  sent(digest: string): void {
    if (this.digests.size >= MAX_DIGESTS) this.digests.clear();
    this.digests.add(digest);
  }

  /** Statements under way there. */
  get active(): number {
    return [...this.ofPools.values()].reduce((sum, count) => sum + count, 0);
  }

  activeOf(poolId: string): number {
    return this.ofPools.get(poolId) ?? 0;
  }

  /** Counts a statement of a pool as under way until the returned function is called. */
  enter(poolId: string): () => void {
    this.ofPools.set(poolId, this.activeOf(poolId) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.ofPools.set(poolId, this.activeOf(poolId) - 1);
    };
  }

  post(path: string, body: unknown, signal?: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.client.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  }

  /** The node is gone. What it still sent is still read: an answer may be on its way to a slow reader. */
  lose(): void {
    this.gone = true;
    void this.client.close().catch(() => undefined);
  }
}
