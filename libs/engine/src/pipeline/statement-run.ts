import { DuckDBResult, ResultReturnType } from '@duckdb/node-api';
import { DomainError, verdictAgain } from '@gadwall/rbac';
import { Description, Screened } from '@gadwall/rewriters';
import { NodeConnection, runError } from '../duckdb';
import { NodeSession, OpenTransaction } from '../session';
import { CatalogEpoch } from './catalog-epoch';
import { Described } from './describer';
import { Effects, effectsOf } from './effects';
import { EngineTask } from './engine-task';
import { Governed } from './governor';
import { governedError, requireNoMarks } from './governed-error';
import { hasMoved, refusal } from './refusal';
import {
  affectedRows,
  checkedRows,
  columnsOf,
  fetchChunk,
  NO_ROWS,
  NOTHING_TOUCHED,
  RunningStatement,
} from './running-statement';
import { StatementRequest } from './statement-request';
import { Submission } from './submission';

/** A verdict that holds while the catalog is of that epoch. */
export interface CachedVerdict {
  epoch: number;
  description: Description;
  governed: Governed | null;
}

/** An admitted statement. */
export interface Judged extends Described {
  /** What runs in its place; null: the statement itself. */
  governed: Governed | null;
}

/** What a run needs of the pipeline. */
export interface RunSupport {
  readonly epoch: CatalogEpoch;
  /** The tasks of statements that the engine may work on. */
  readonly underWay: Set<EngineTask>;
  /** The verdict from the cache, when nothing that it depends on can have changed. */
  cached(request: StatementRequest, screened: Screened): CachedVerdict | null;
  keep(request: StatementRequest, screened: Screened, entry: CachedVerdict): void;
  /** @param before the epoch before the statement's transaction began */
  judge(task: EngineTask, screened: Screened, request: StatementRequest, before: number | null): Promise<Judged>;
  /** Waits until the engine has returned from a statement that has ended. */
  letGo(task: EngineTask): Promise<void>;
  /** Gives a connection back; one that ran anything but reads and plain DML is closed. */
  give(connection: NodeConnection, clean: boolean): void;
}

/** One statement from BEGIN to COMMIT. */
export class StatementRun {
  private readonly screened: Screened;
  private readonly effects: Effects;
  private readonly preparing: { parameters: number; keep: () => void } | null;
  private readonly task: EngineTask;
  /** The node's own transaction around an autocommit statement is open. */
  private wrapped = false;
  private ended = false;
  /** The engine has the statement, and it is not known whether it took effect. */
  private inDoubt = false;
  private endChange: (() => void) | null = null;
  private governed: Governed | null = null;
  /** The check against what the statement goes by now. */
  private assertCurrent: () => void;
  private readonly onAbort = () => this.task.stop(new DomainError('cancelled'));

  constructor(
    private readonly request: StatementRequest,
    submission: Extract<Submission, { screened: Screened }>,
    connection: NodeConnection,
    private readonly pipeline: RunSupport,
    private readonly release: () => void,
  ) {
    this.screened = submission.screened;
    this.preparing = submission.preparing;
    this.effects = effectsOf(submission.screened);
    this.task = new EngineTask(connection, request.timeLimit);
    pipeline.underWay.add(this.task);
    this.assertCurrent = request.assertCurrent;
    request.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  async start(): Promise<RunningStatement> {
    try {
      if (this.request.signal?.aborted) throw new DomainError('cancelled');
      const cached = this.preparing ? null : this.pipeline.cached(this.request, this.screened);
      return cached ? await this.runCached(cached) : await this.runJudged();
    } catch (error) {
      await this.close();
      throw this.failure(error);
    }
  }

  /** What the engine is given. */
  private get text(): string {
    return this.governed?.text ?? this.screened.text;
  }

  private failure(error: unknown): DomainError {
    return this.governed ? governedError(error, this.governed) : runError(error);
  }

  private async runCached(cached: CachedVerdict): Promise<RunningStatement> {
    if (this.effects.writes) this.begin();
    this.governed = cached.governed;
    const text = this.text;
    this.beforeRun(cached.description);
    const result = await this.submit((connection) =>
      this.effects.writes ? connection.completePrepared(text) : connection.streamPrepared(text),
    );
    if (this.pipeline.epoch.stable !== cached.epoch) return this.again();
    await this.checkAgain(cached.description);
    return this.running(result, cached.description);
  }

  /** What names mean changed while the cached statement was being bound: it is judged anew. */
  private async again(): Promise<RunningStatement> {
    await this.task.settled();
    if (this.wrapped) await this.rollback();
    return this.runJudged();
  }

  private async runJudged(): Promise<RunningStatement> {
    const { request, screened, effects, pipeline } = this;
    const before = pipeline.epoch.stable;
    if (effects.transaction) return this.runTransaction();
    if (!request.session?.transaction && !effects.bare) this.begin();
    const { description, engineError, governed } = await pipeline.judge(this.task, screened, request, before);
    this.governed = governed;
    // A value that is not known yet may be all that it lacks.
    if (engineError !== null && !this.preparing?.parameters)
      throw new DomainError('sql_error', { detail: engineError });
    if (this.preparing) return this.runPreparing(this.preparing, description);
    if (before !== null) pipeline.keep(request, screened, { epoch: before, description, governed });
    this.beforeRun(description);
    const result = await this.submit((connection) =>
      effects.writes ? connection.complete(this.text) : connection.stream(this.text),
    );
    await this.checkAgain(description);
    return this.running(result, description);
  }

  private async runPreparing({ keep }: { keep: () => void }, description: Description): Promise<RunningStatement> {
    this.assertCurrent();
    keep();
    await this.commit();
    return { ...this.answer(description), ...NO_ROWS, kind: 'PREPARE' };
  }

  /** Gives the statement itself to the engine, after the first check. What the engine refuses has had no effect. */
  private async submit(work: (connection: NodeConnection) => Promise<DuckDBResult>): Promise<DuckDBResult> {
    const { lasting, session, catalog, writes } = this.effects;
    this.assertCurrent();
    // What names mean may be another from now on, whatever is heard of the statement.
    if (session || catalog || this.endChange) this.request.session?.changed();
    this.inDoubt = lasting || session || catalog || writes;
    try {
      const result = await this.task.call(work);
      if (this.effects.alters && this.request.session) this.request.session.altered = true;
      return result;
    } catch (error) {
      if (!this.task.stopReason) this.inDoubt = false;
      throw error;
    }
  }

  /**
   * The second check (DESIGN section 5, rule 4). When only the version has moved, what the engine has is kept until it is
   * known whether the new one gives the same set. If not, what a statement of the node's own transaction did is rolled back,
   * and the manager sends it anew; in a user's transaction it may have happened, and sent anew it would happen twice: that
   * transaction is over.
   */
  private async checkAgain({ objects }: Description): Promise<void> {
    const { writes, catalog, session, lasting, bare } = this.effects;
    // What is set without a look at any object depends on no grant.
    if (bare || (lasting && objects.length === 0)) return;
    try {
      while (!this.isCurrent()) await this.renew();
    } catch (error) {
      const open = this.request.session?.transaction;
      if (!open || !(writes || catalog || session)) throw error;
      open.aborted = 'the policy changed while a statement of it ran';
      throw new DomainError('transaction_aborted', { reason: open.aborted });
    }
  }

  /** @throws DomainError `authz_unavailable` when the lease has lapsed */
  private isCurrent(): boolean {
    try {
      this.assertCurrent();
      return true;
    } catch (error) {
      if (isStale(error)) return false;
      throw error;
    }
  }

  /** @throws DomainError `stale` unless the same set is in force under the new version; the task's end */
  private async renew(): Promise<void> {
    const renewed = await this.task
      .call(() => this.request.renew())
      .catch((error: unknown) => {
        if (this.task.stopReason) throw this.task.stopReason;
        // Overtaken again on the way: asked once more. The rest is for the manager to tell, which runs gate 1 itself.
        if (isStale(error)) return null;
        throw new DomainError('stale');
      });
    if (renewed === null) return;
    if (renewed.digest !== this.request.digest) throw new DomainError('stale');
    this.assertCurrent = renewed.assertCurrent;
  }

  /** Notes what is about to happen; in a user's transaction it is judged again at COMMIT. */
  private beforeRun(description: Description): void {
    const { effects, pipeline } = this;
    const open = this.request.session?.transaction;
    const { set, digest } = this.request;
    if (effects.writes || effects.catalog) open?.changes.push({ set, digest, description });
    if (open && (effects.session || effects.catalog)) open.changedNames = true;
    if (!effects.catalog) return;
    this.endChange = pipeline.epoch.begin();
    if (open) open.changedCatalog = true;
  }

  /** BEGIN, COMMIT and ROLLBACK touch no object; the screen admits no more of them than these words. */
  private async runTransaction(): Promise<RunningStatement> {
    const { session, set, digest } = this.request;
    if (!session) throw new DomainError('internal');
    const open = session.transaction;
    if (this.effects.transaction === 'commit' && open && hasMoved(open, digest)) {
      const judged = open.changes.map((change) => verdictAgain(change.set, set, change.description));
      const refused = judged.find(({ allow }) => !allow);
      if (refused && !refused.allow) throw refusal(refused, this.request);
    }
    if (this.effects.transaction === 'commit' && open) await this.requireAlive(open);
    if (open?.changedCatalog) this.endChange = this.pipeline.epoch.begin();
    if (open?.changedNames) session.changed();
    try {
      await this.submit((connection) => connection.complete(this.screened.text));
    } catch (error) {
      if (this.effects.transaction === 'commit' && !this.task.stopReason) await this.endTransaction(session);
      throw error;
    }
    session.transaction =
      this.effects.transaction === 'begin'
        ? { digest, changes: [], changedNames: false, changedCatalog: false, aborted: null }
        : null;
    this.inDoubt = false;
    this.ended = true;
    return { ...this.answer(NOTHING_TOUCHED), ...NO_ROWS };
  }

  /** The engine answers COMMIT of a transaction that has failed by rolling it back, and says nothing of that. */
  private async requireAlive(open: OpenTransaction): Promise<void> {
    try {
      await this.task.call((connection) => connection.rows('SELECT 1'));
    } catch (error) {
      if (!this.task.stopReason) open.aborted = 'an earlier statement failed';
      throw error;
    }
  }

  /** A COMMIT that the engine refused has ended the transaction there: nothing may be taken for a part of it any more. */
  private async endTransaction(session: NodeSession): Promise<void> {
    await this.rollback();
    session.transaction = null;
  }

  private async running(result: DuckDBResult, description: Description): Promise<RunningStatement> {
    const checks = this.governed?.checks === true;
    if (this.governed && !checks) requireNoMarks(result, this.governed);
    const rows = result.returnType === ResultReturnType.QUERY_RESULT && !checks;
    const affected = rows ? null : await this.task.call(() => (checks ? checkedRows(result) : affectedRows(result)));
    // A write is at its end: it waits for no reader of the rows that it returns.
    const whole = !rows || this.effects.writes;
    if (whole) {
      await this.checkAgain(description);
      await this.commit();
    }
    return {
      ...this.answer(description),
      columns: () => (checks ? [] : columnsOf(result)),
      affected: this.effects.writes && !rows ? affected : null,
      next: async () => {
        if (!rows || (this.ended && !whole)) return null;
        try {
          const chunk = await this.task.call(() => fetchChunk(result));
          if (chunk === null && !whole) await this.commit();
          return chunk;
        } catch (error) {
          throw this.task.stopReason ?? this.failure(error);
        }
      },
    };
  }

  private answer(description: Description): Pick<RunningStatement, 'kind' | 'description' | 'close'> {
    const { kind } = this.screened;
    return { kind, description, close: () => this.close() };
  }

  /** While the engine begins, the statement is looked at. */
  private begin(): void {
    // Before it is known: one that is cut off may have begun.
    this.wrapped = true;
    this.task.start((connection) => connection.begin());
  }

  /** Ends the node's own transaction; what a user's own transaction holds stays open. */
  private async commit(): Promise<void> {
    if (this.wrapped) await this.task.call((connection) => connection.commit());
    this.wrapped = false;
    this.inDoubt = false;
    this.ended = true;
  }

  private async rollback(): Promise<void> {
    this.wrapped = false;
    await this.task.connection.run('ROLLBACK').catch(() => undefined);
  }

  /**
   * A statement was cut off when it may have had its effect. A transaction of the user's is over, for nothing of it was
   * judged to the end; a session of which it is not known what it is set to is lost.
   */
  private forget(session: NodeSession): void {
    if (this.effects.lasting) session.lost = true;
    else if (session.transaction) session.transaction.aborted ??= 'a statement of it was cut off';
  }

  private closing: Promise<void> | null = null;

  /** Returns at once when the task was stopped: the connection and the slot follow when the engine lets go. */
  async close(): Promise<void> {
    const unfinished = !this.ended;
    this.ended = true;
    this.closing ??= this.finish(unfinished);
    if (this.task.stopReason) return;
    await this.closing;
  }

  private async finish(unfinished: boolean): Promise<void> {
    this.request.signal?.removeEventListener('abort', this.onAbort);
    if (unfinished && !this.task.stopReason) this.task.connection.interrupt();
    await this.pipeline.letGo(this.task);
    this.pipeline.underWay.delete(this.task);
    if (this.wrapped) await this.rollback();
    this.endChange?.();
    const { session } = this.request;
    if (session && this.inDoubt) this.forget(session);
    if (!session) {
      const clean =
        !unfinished && !this.effects.session && !this.effects.catalog && !this.effects.bare && !this.task.stopReason;
      this.pipeline.give(this.task.connection, clean);
    }
    this.release();
    this.request.onReleased?.();
  }
}

function isStale(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'stale';
}
