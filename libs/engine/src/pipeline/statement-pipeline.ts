import { AccessDenied, DomainError, EffectiveSet, grantsCover, verdict } from '@gadwall/rbac';
import {
  Description,
  isListingFunction,
  listingAnswer,
  ListingRequest,
  quoteIdentifier,
  resolveTable,
  screen,
  Screened,
} from '@gadwall/rewriters';
import { LRUCache } from 'lru-cache';
import { Engine, JsonReader, NodeConnection } from '../duckdb';
import { type SecureViewMaker } from '../secure-view';
import { CatalogEpoch } from './catalog-epoch';
import { Described, Describer } from './describer';
import { effectsOf } from './effects';
import { EngineTask } from './engine-task';
import { Governed, Governor, type Reader } from './governor';
import { outcomesOf, outcomesOfRefusal, type PolicyOutcome } from './policy-outcome';
import { refusal } from './refusal';
import { NO_ROWS, NOTHING_TOUCHED, RunningStatement } from './running-statement';
import { Slots } from './slots';
import { SecureViewPlans } from './secure-view-plans';
import { StatementRequest } from './statement-request';
import { CachedVerdict, Judged, RunSupport, StatementRun } from './statement-run';
import { Submission, submissionOf } from './submission';

export interface PipelineOptions {
  /** Verdicts kept; 0 = none. */
  cacheEntries: number;
  maxPerUser: number;
  /** Called when the engine has not let go of a statement for so long after it was stopped. */
  stuck: { afterMs: number; tell: () => void };
  /** Hears what became of each statement at the policies of its principal. */
  observe?: (outcome: PolicyOutcome) => void;
}

/**
 * Screen, describe, judge, run (DESIGN section 6): the only road by which a statement reaches the engine. Description,
 * verdict and run share one transaction, and so one snapshot of the catalog.
 */
export class StatementPipeline implements RunSupport {
  readonly epoch = new CatalogEpoch();
  readonly slots: Slots;
  /** The tasks of statements that the engine may work on. */
  readonly underWay = new Set<EngineTask>();
  private readonly json = new JsonReader();
  private readonly describer: Describer;
  private readonly governor: Governor;
  private readonly plans: SecureViewPlans;
  private readonly verdicts: LRUCache<string, CachedVerdict> | null;

  constructor(
    private readonly engine: Engine,
    private readonly options: PipelineOptions,
  ) {
    this.plans = new SecureViewPlans(this.json);
    this.describer = new Describer(engine, this.epoch, this.json, this.plans);
    this.governor = new Governor(this.json, this.plans);
    this.slots = new Slots(options.maxPerUser);
    this.verdicts = options.cacheEntries > 0 ? new LRUCache({ max: options.cacheEntries }) : null;
  }

  async close(): Promise<void> {
    await this.json.close();
  }

  /** What secure views are made with in this catalog (see `makeSecureView`). */
  get maker(): SecureViewMaker {
    return { engine: this.engine, epoch: this.epoch, plans: this.plans };
  }

  /** Stops all that is under way. */
  stopAll(reason: DomainError): void {
    for (const task of this.underWay) task.stop(reason);
  }

  /** Resolves when the statement is admitted and has its snapshot; rejects with the reason of the refusal. */
  async start(request: StatementRequest): Promise<RunningStatement> {
    const run = await this.admit(request).catch((error: unknown) => {
      request.onReleased?.();
      throw error;
    });
    return run instanceof StatementRun ? run.start() : run;
  }

  /** What is refused before the engine has anything of the statement. */
  private async admit(request: StatementRequest): Promise<StatementRun | RunningStatement> {
    const { session } = request;
    if (session?.lost) throw new DomainError('session_lost');
    const submission = submissionOf(request);
    const screened = 'screened' in submission ? submission.screened : null;
    const transaction = screened && effectsOf(screened).transaction;
    if (screened && transaction && !session) {
      throw new DomainError('sql_error', { detail: `${screened.keyword.toUpperCase()} needs a session` });
    }
    if (session?.transaction?.aborted && transaction !== 'rollback') {
      throw new DomainError('transaction_aborted', { reason: session.transaction.aborted });
    }
    if ('deallocate' in submission) return deallocated(request, submission);
    const release = this.slots.take(request.poolId, request.maxConcurrent, request.userId);
    try {
      const connection = session?.connection ?? (await this.engine.checkOut());
      return new StatementRun(request, submission, connection, this, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The verdict from the cache, when nothing that it depends on can have changed. */
  cached(request: StatementRequest, screened: Screened): CachedVerdict | null {
    const key = this.cacheKey(request, screened);
    const entry = key === null ? undefined : this.verdicts?.get(key);
    if (!entry || entry.epoch !== this.epoch.stable) return null;
    this.observe(request, { ...outcomesOf(entry.governed), seconds: null });
    return entry;
  }

  keep(request: StatementRequest, screened: Screened, entry: CachedVerdict): void {
    const key = this.cacheKey(request, screened);
    if (key !== null && entry.epoch === this.epoch.stable) this.verdicts?.set(key, entry);
  }

  /** Only sessions as they were opened share verdicts; only reads and plain DML are kept. */
  private cacheKey(request: StatementRequest, screened: Screened): string | null {
    if (screened.shape !== 'select' && !effectsOf(screened).writes) return null;
    if (screened.kind === 'EXPLAIN') return null;
    if (request.session && (request.session.epoch > 0 || request.session.transaction !== null)) return null;
    return `${request.digest}\0${screened.text}`;
  }

  /** @param before the epoch before the statement's transaction began */
  async judge(task: EngineTask, screened: Screened, request: StatementRequest, before: number | null): Promise<Judged> {
    const { session, set, digest } = request;
    const admits = (named: Description): boolean => grantsCover(set, named);
    const { macros, secureViews } = set;
    const principal = { superuser: set.tenant === null, macros, secureViews, digest, admits };
    const snapshot = { session, epoch: session?.transaction ? null : before };
    const described = await this.describer.describe(task, screened, snapshot, principal);
    const judged = verdict(set, described.description);
    if (!judged.allow) throw this.refused(refusal(judged, request), request, 'judged');
    if (screened.request) return this.answer(task, screened.request, described, request, before);
    const ownSettings = session !== null && session.epoch > 0;
    const reader = { set, digest, epoch: snapshot.epoch, ownSettings };
    // A view is governed where it is read, and lists nothing.
    const bound = described.engineError === null && screened.shape !== 'view';
    if (!bound) requireNoListing(screened, described.description, set);
    const since = performance.now();
    const governed = bound ? await this.governed(task, screened, described, reader, request) : null;
    const seconds = governed ? (performance.now() - since) / 1000 : null;
    this.observe(request, { ...outcomesOf(governed), seconds });
    return { ...described, governed };
  }

  private governed(
    task: EngineTask,
    screened: Screened,
    described: Described,
    reader: Reader,
    request: StatementRequest,
  ): Promise<Governed | null> {
    return this.governor.govern(task, screened, described, reader).catch((error: unknown) => {
      throw this.refused(error, request, 'governed');
    });
  }

  private refused(error: unknown, request: StatementRequest, where: 'judged' | 'governed'): unknown {
    const outcomes = outcomesOfRefusal(error, where);
    if (outcomes) this.observe(request, { ...outcomes, seconds: null });
    return error;
  }

  private observe({ set, poolId }: StatementRequest, outcome: Omit<PolicyOutcome, 'tenant' | 'poolId'>): void {
    this.options.observe?.({ tenant: set.tenant, poolId, ...outcome });
  }

  /** A question about the catalog is the query that answers it, which is judged and governed as any other. */
  private async answer(
    task: EngineTask,
    asked: ListingRequest,
    { catalog, description }: Described,
    request: StatementRequest,
    before: number | null,
  ): Promise<Judged> {
    const found = asked.parts.length > 0 ? resolveTable(asked.parts, catalog.path, catalog.snapshot) : null;
    if (asked.parts.length > 0 && (!found || found.internal)) {
      const name = asked.parts.map(quoteIdentifier).join('.');
      throw new DomainError('sql_error', { detail: `Catalog Error: Table with name ${name} does not exist!` });
    }
    const query = screen(listingAnswer(asked, found, catalog.path[0] ?? { catalog: '', schema: '' }));
    const judged = await this.judge(task, query, request, before);
    const text = judged.governed?.text ?? query.text;
    const governed = judged.governed ?? UNGOVERNED;
    return {
      ...judged,
      description,
      governed: { ...governed, text: asked.what === 'summarize' ? `SUMMARIZE ${text}` : text },
    };
  }

  /** Waits until the engine has returned from a statement that has ended. */
  async letGo(task: EngineTask): Promise<void> {
    const { afterMs, tell } = this.options.stuck;
    const timer = setTimeout(tell, afterMs).unref();
    await task.settled();
    clearTimeout(timer);
  }

  /** Gives a connection back; one that ran anything but reads and plain DML is closed. */
  give(connection: NodeConnection, clean: boolean): void {
    this.engine.checkIn(connection, clean);
  }
}

function deallocated(
  request: StatementRequest,
  submission: Extract<Submission, { deallocate: unknown }>,
): RunningStatement {
  request.assertCurrent();
  submission.deallocate();
  return {
    ...NO_ROWS,
    kind: 'DEALLOCATE',
    description: NOTHING_TOUCHED,
    close: () => Promise.resolve(request.onReleased?.()),
  };
}

/** A statement that runs in the place of another one, and under no policy. */
const UNGOVERNED: Governed = {
  text: '',
  masks: false,
  filters: false,
  checks: false,
  nonce: '\0',
  raised: '\0',
  tables: [],
};

function requireNoListing({ shape }: Screened, { functions }: Description, { tenant }: EffectiveSet): void {
  if (shape !== 'view' || tenant === null || !functions.some(isListingFunction)) return;
  const message = 'a view over a listing is not supported: it would list what its reader is not granted';
  throw new AccessDenied({ rule: 'listing', message, objects: [], hint: null });
}
