import { Dispatcher, Pool } from 'undici';

/** Requests that a manager has under way with one node at most; more wait. */
const CONNECTIONS = 128;
/** Digests remembered as held by the node. */
const MAX_DIGESTS = 10_000;

/** A manager's line to one node in service. */
export class NodeLink {
  private readonly client: Pool;
  private readonly digests = new Set<string>();
  private readonly active = new Map<string, number>();
  private gone = false;

  constructor(
    readonly nodeId: string,
    readonly url: string,
    /** Signs handles for this node. */
    readonly key: Buffer,
  ) {
    this.client = new Pool(url, { connections: CONNECTIONS, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
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

  activeOf(poolId: string): number {
    return this.active.get(poolId) ?? 0;
  }

  /** Counts a statement of a pool as under way until the returned function is called. */
  enter(poolId: string): () => void {
    this.active.set(poolId, this.activeOf(poolId) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.active.set(poolId, this.activeOf(poolId) - 1);
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

  /** The node is gone: what is under way with it ends. */
  lose(): void {
    this.gone = true;
    void this.client.destroy().catch(() => undefined);
  }
}
