import { Readable } from 'node:stream';
import { checkChunkSize, NodeSession, RunningStatement, StatementPipeline } from '@gadwall/engine';
import { DomainError, Handle, NodeStatement, statementHash } from '@gadwall/rbac';
import { Admission, Admitted, FreshHandles } from '../admission';
import type { Drain } from '../drain';
import { ResultWriter, resultWriter } from '../result';
import { SessionStore } from '../session';
import { RunningStatements } from './running-statements';

/** An answer on its way: what the headers say, and the bytes. */
export interface StatementAnswer {
  contentType: string;
  policyVersion: { tenant: number; system: number };
  body: Readable;
  /** Whether a limit of rows cut the answer short; known at its end. */
  isTruncated: () => boolean;
}

/** Runs what a manager's handle vouches for, and turns the rows into bytes as the reader takes them. */
export class StatementService {
  constructor(
    private readonly admission: Admission,
    private readonly pipeline: StatementPipeline,
    private readonly sessions: SessionStore,
    private readonly running: RunningStatements,
    private readonly drain: Drain,
    private readonly handles: Pick<FreshHandles, 'of'>,
  ) {}

  /**
   * Resolves when the statement is admitted and its first rows are there: an error up to then is an answer of its own.
   * Later ones break the stream.
   *
   * @param onSent calls what it is given when the answer has left, or nobody waits for it any more
   */
  async run(
    request: NodeStatement,
    signal: AbortSignal,
    onSent: (listener: () => void) => void,
  ): Promise<StatementAnswer> {
    const started = performance.now();
    const admitted = this.admission.admit(request.handle, statementHash(request.sql, request.parameters), request.set);
    const taken = this.sessionOf(admitted.handle);
    onSent(this.enter(taken));
    const { handle } = admitted;
    const revoked = new AbortController();
    const running = await this.start(request, admitted, taken, AbortSignal.any([signal, revoked.signal]));
    const answer = new Answer(request, handle, running, resultWriter(request.format), started);
    const interrupt = (reason: DomainError) => {
      revoked.abort(reason);
      answer.interrupt(reason);
    };
    answer.onEnd = this.running.add({ handle, set: admitted.set, description: running.description, interrupt });
    return answer.open().catch((error: unknown) => {
      throw revoked.signal.aborted ? revoked.signal.reason : error;
    });
  }

  private enter(taken: { session: NodeSession; giveBack: () => void } | null): () => void {
    try {
      return this.drain.enter(taken?.session ?? null);
    } catch (error) {
      taken?.giveBack();
      throw error;
    }
  }

  private sessionOf(handle: Handle): { session: NodeSession; giveBack: () => void } | null {
    if (handle.session === null) return null;
    const { userId, tenant, poolId } = handle;
    return this.sessions.take(handle.session, { userId, tenant, poolId });
  }

  private start(
    { sql, parameters, limits }: NodeStatement,
    { handle, set, assertCurrent }: Admitted,
    taken: { session: NodeSession; giveBack: () => void } | null,
    signal: AbortSignal,
  ): Promise<RunningStatement> {
    return this.pipeline.start({
      userId: handle.userId,
      set,
      digest: handle.setDigest,
      poolId: handle.poolId,
      sql,
      parameters,
      session: taken?.session ?? null,
      onReleased: taken?.giveBack,
      timeLimit: limits.statementTimeoutMs,
      maxConcurrent: limits.maxConcurrent,
      assertCurrent,
      renew: async () => {
        const again = await this.handles.of(handle);
        return { digest: again.handle.setDigest, assertCurrent: again.assertCurrent };
      },
      signal,
    });
  }
}

/** The bytes of one answer. */
class Answer {
  onEnd: () => void = () => undefined;
  private rowCount = 0;
  private truncated = false;
  private body: Readable | null = null;

  constructor(
    private readonly request: NodeStatement,
    private readonly handle: Handle,
    private readonly running: RunningStatement,
    private readonly writer: ResultWriter,
    private readonly started: number,
  ) {}

  async open(): Promise<StatementAnswer> {
    const { queryId } = this.request;
    try {
      const { kind } = this.running;
      const head = this.writer.head({ queryId, kind, columns: this.running.columns() });
      const first = await this.piece();
      this.body = Readable.from(this.bytes(head, first), { objectMode: false });
      // Bytes that nobody has begun to read have no end of their own.
      this.body.once('close', () => void this.close());
      return {
        contentType: this.writer.contentType,
        policyVersion: this.handle.versions,
        body: this.body,
        isTruncated: () => this.truncated,
      };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Breaks off what is being sent, also to a reader who takes nothing. */
  interrupt(reason: Error): void {
    this.body?.destroy(reason);
  }

  private async close(): Promise<void> {
    this.onEnd();
    await this.running.close();
  }

  /** Pulled by the reader: what is not taken is not fetched from the engine. */
  private async *bytes(head: Uint8Array, first: Uint8Array | null): AsyncGenerator<Uint8Array> {
    try {
      // Small answers leave in one piece.
      if (first === null) yield Buffer.concat([head, this.tail()]);
      else {
        yield Buffer.concat([head, first]);
        for (let next = await this.piece(); next !== null; next = await this.piece()) yield next;
        yield this.tail();
      }
    } finally {
      await this.close();
    }
  }

  private async piece(): Promise<Uint8Array | null> {
    const limit = this.request.limits.maxRows ?? Number.POSITIVE_INFINITY;
    if (this.truncated) return null;
    const chunk = await this.running.next();
    if (chunk === null) return null;
    checkChunkSize(chunk);
    const rows = Math.min(chunk.rowCount, limit - this.rowCount);
    this.truncated = rows < chunk.rowCount;
    this.rowCount += rows;
    return this.writer.rows(chunk, rows);
  }

  private tail(): Uint8Array {
    return this.writer.tail({
      rowCount: this.rowCount,
      affected: this.running.affected,
      truncated: this.truncated,
      policyVersion: this.handle.versions,
      elapsedMs: Math.round((performance.now() - this.started) * 1000) / 1000,
    });
  }
}
