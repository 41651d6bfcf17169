import {
  checkChunkSize,
  dropSecureView,
  Engine,
  jsonValue,
  makeSecureView,
  NodeSession,
  StatementPipeline,
  typeName,
} from '@gadwall/engine';
import type { SecureView, SecureViewMaking, SecureViewOutcome } from '@gadwall/rbac';
import { type Outcome, outcomeOfError } from '../run/outcome';
import { type Admitted, rootAdmitted } from '../world';

/** ms that the engine may work on a statement. */
const TIME_LIMIT = 10_000;
/** ms after which an engine that does not let go of a stopped statement is stuck. */
const STUCK_AFTER = 60_000;
const MAX_CONCURRENT = 32;
/** Kinds of statements that change rows. */
const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);
/** The engine's only pool. */
const POOL = 'pool';
/** Rows of one answer that are kept. */
const MAX_ROWS = 100_000;

/** An engine with the pipeline of a node before it. Statements of one principal share one session. */
export class Door {
  private readonly pipeline: StatementPipeline;
  private readonly sessions = new Map<string, NodeSession>();

  /** @param admit gate 1, asked for each statement anew; throws DomainError */
  constructor(
    private readonly engine: Engine,
    private readonly admit: (username: string) => Admitted,
  ) {
    this.pipeline = new StatementPipeline(engine, {
      cacheEntries: 100,
      maxPerUser: MAX_CONCURRENT,
      stuck: { afterMs: STUCK_AFTER, tell: () => undefined },
    });
  }

  /** Makes a secure view in the catalog, as a node does. */
  makeSecureView(making: SecureViewMaking): Promise<SecureViewOutcome> {
    return makeSecureView(this.pipeline.maker, making);
  }

  /** Likewise drops one that is none any more. */
  dropSecureView(view: SecureView): Promise<void> {
    return dropSecureView(this.pipeline.maker, view);
  }

  /** A statement of a principal. */
  run(username: string, sql: string): Promise<Outcome> {
    return this.outcome(() => this.admit(username), `principal ${username}`, sql);
  }

  /** A question of a superuser's who is none of the principals, and shares no session with them. */
  ask(sql: string): Promise<Outcome> {
    return this.outcome(rootAdmitted, 'root', sql);
  }

  private async outcome(admit: () => Admitted, session: string, sql: string): Promise<Outcome> {
    try {
      return await this.answer(admit(), await this.session(session), sql);
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  private async answer({ userId, set, digest }: Admitted, session: NodeSession, sql: string): Promise<Outcome> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    try {
      const running = await this.pipeline.start({
        userId,
        set,
        digest,
        poolId: POOL,
        sql,
        parameters: [],
        session,
        timeLimit: TIME_LIMIT,
        maxConcurrent: MAX_CONCURRENT,
        // The policy changes between statements alone.
        assertCurrent: () => undefined,
        renew: () => Promise.resolve({ digest, assertCurrent: () => undefined }),
        onReleased: release,
      });
      const rows: Extract<Outcome, { kind: 'answer' }>['rows'] = [];
      try {
        for (let chunk = await running.next(); chunk !== null; chunk = await running.next()) {
          checkChunkSize(chunk);
          if (rows.length + chunk.rowCount > MAX_ROWS) throw new Error(`an answer of over ${MAX_ROWS} rows`);
          rows.push(...chunk.getRows().map((row) => row.map(jsonValue)));
        }
      } finally {
        await running.close();
      }
      const columns = running.columns().map(({ name, type }) => ({ name, type: typeName(type) }));
      // RETURNING gives a row for each that was changed.
      const affected = running.affected ?? (WRITES.has(running.kind) ? rows.length : null);
      return { kind: 'answer', columns, rows, affected, objects: running.description.objects };
    } finally {
      // A session runs one statement at a time.
      await released;
    }
  }

  private async session(id: string): Promise<NodeSession> {
    const known = this.sessions.get(id);
    if (known) return known;
    const owner = { userId: id, tenant: '', poolId: POOL };
    const session = new NodeSession(id, owner, await this.engine.connect(), Date.now());
    this.sessions.set(id, session);
    return session;
  }

  /** Ends the sessions and the engine. */
  async close(): Promise<void> {
    await this.pipeline.close();
    for (const session of this.sessions.values()) session.end();
    this.engine.close();
  }
}
