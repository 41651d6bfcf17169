import { AccessDenied, DomainError, MacroName } from '@gadwall/rbac';
import {
  beforeBinding,
  checkMacroUse,
  BoundPlans,
  CatalogTable,
  CatalogSnapshot,
  Description,
  describeNames,
  describeStatement,
  isPlainIn,
  Finding,
  type InnerQuery,
  lex,
  QueryNames,
  screen,
  Screened,
  ScreenRefusal,
  SearchPath,
  SecuredView,
  SessionCatalog,
  tableKey,
  Unbound,
  WrittenName,
} from '@gadwall/rewriters';
import { Engine, JsonReader, planErrorMessage, readCatalog, readSearchPath, ReadTree } from '../duckdb';
import { NodeSession } from '../session';
import { Binder, notDescribed } from './binder';
import { CatalogEpoch } from './catalog-epoch';
import { EngineTask } from './engine-task';
import { SecureViewPlans } from './secure-view-plans';
import { withheldFrom } from './withheld';

/** `query('…')` inside `query('…')`, at most. */
const MAX_QUERY_DEPTH = 4;

/** What a statement sees of the catalog. */
export interface Snapshot {
  session: NodeSession | null;
  /** The epoch before its transaction began; null in a transaction of the user's, which may see what was long ago. */
  epoch: number | null;
}

/** For whom a statement is described. */
export interface Principal {
  superuser: boolean;
  /** The macros that they may call. */
  macros: readonly MacroName[];
  secureViews: readonly SecuredView[];
  /** Of their set. */
  digest: string;
  /**
   * Whether their grants cover what a description names. A statement that names what they do not is described by its text
   * alone, so that a hidden object and none make no difference.
   */
  admits: (description: Description) => boolean;
}

export interface Described {
  description: Description;
  /** Why the engine could not bind the statement; it goes to one whose grants cover what the statement names. */
  engineError: string | null;
  /** What its names mean. */
  catalog: SessionCatalog;
  /** What the syntax tree of the query in it names; null where none was asked for. */
  names: QueryNames | null;
  /** The plans that it was described by; none where it was not bound. */
  plans: BoundPlans;
  /** The secure views that it reads. */
  secured: readonly CatalogTable[];
  /** What the texts in its `query('…')` are, by the text. */
  inner: ReadonlyMap<string, InnerQuery>;
}

/** Steps 2 and 3 of the pipeline on the engine: parse, resolve, bind, describe. */
export class Describer {
  private shared: { epoch: number; catalog: SessionCatalog } | null = null;
  private readonly binder: Binder;
  private readonly secured = new WeakMap<readonly SecuredView[], SessionCatalog['secured']>();
  private readonly ofSession = new WeakMap<NodeSession, { key: string; catalog: SessionCatalog }>();

  constructor(
    private readonly engine: Engine,
    private readonly epoch: CatalogEpoch,
    private readonly json: JsonReader,
    secureViews: SecureViewPlans,
  ) {
    this.binder = new Binder(json, secureViews);
  }

  /** @throws DomainError `statement_too_large`: of what the macros that it calls stand for */
  async describe(
    task: EngineTask,
    screened: Screened,
    { session, epoch }: Snapshot,
    principal: Principal,
  ): Promise<Described> {
    const known = this.known(session, epoch);
    if (known) {
      const described = await this.describeIn(this.seenBy(principal, known, session), task, screened, principal, epoch);
      // The engine takes a snapshot of a database at the first look into it: by then it must be what was known.
      if (this.epoch.stable === epoch) return described;
    }
    const catalog = await this.read(task, session, epoch);
    return this.describeIn(this.seenBy(principal, catalog, session), task, screened, principal, epoch);
  }

  /** The catalog with what the principal's set says of it. */
  private seenBy(
    { macros, secureViews }: Principal,
    known: SessionCatalog,
    session: NodeSession | null,
  ): SessionCatalog {
    if (known.snapshot.macros.size === 0 && secureViews.length === 0) return known;
    const secured = this.secured.get(secureViews) ?? new Map(secureViews.map((view) => [tableKey(view), view]));
    this.secured.set(secureViews, secured);
    const withheld = secured.size === 0 ? null : withheldFrom(session, known, this.engine.opened);
    return { ...known, admitted: new Set(macros.map(tableKey)), secured, withheld };
  }

  private async describeIn(
    catalog: SessionCatalog,
    task: EngineTask,
    screened: Screened,
    { superuser, digest, admits }: Principal,
    epoch: number | null,
  ): Promise<Described> {
    const plain = isPlainIn(screened, catalog) ? await this.describePlain(task, screened, catalog, admits) : null;
    if (plain) return plain;
    const parsed = await this.names(task, screened);
    const unbound = beforeBinding(screened, parsed.names, catalog);
    unbound.findings.push(...parsed.findings);
    if (!superuser) checkMacros([screened, ...parsed.queries], unbound);
    const named = describeNames(unbound);
    const admitted = admits(named);
    const binds = superuser
      ? !unbound.findings.some((found) => found.bindsSuperusers)
      : !unbound.unsafeToBind && parsed.findings.length === 0;
    if (!binds || parsed.error !== null || (!admitted && unbound.exact)) {
      return {
        description: named,
        engineError: parsed.error,
        catalog,
        names: null,
        plans: [],
        secured: [],
        inner: NONE,
      };
    }
    const { secured } = unbound;
    const seals = await this.binder.seals(task, secured, catalog, { digest, epoch });
    const bound =
      'finding' in seals
        ? { plans: [], error: null, ...seals }
        : await this.binder.bind(task, screened, catalog, parsed.names[0], seals);
    const told = { catalog, names: parsed.names[0] ?? null, plans: bound.plans, secured, inner: parsed.inner };
    // Without a tree a word may have been taken for a name: it was none if the engine could bind the statement, all of it.
    const whole = bound.plans.length > 0 && bound.plans.every(({ undescribed }) => undescribed.length === 0);
    if (!admitted && (!whole || !admits(describeNames(unbound, 'certain')))) {
      return { ...told, description: named, engineError: bound.error };
    }
    const description = describeStatement(unbound, bound.plans);
    description.findings.push(...(bound.finding ? [bound.finding] : []));
    return { ...told, description, engineError: bound.error };
  }

  /** By the plan alone. null: it has something to refuse or an error, which only the tree can put in the right words. */
  private async describePlain(
    task: EngineTask,
    screened: Screened,
    catalog: SessionCatalog,
    admits: (description: Description) => boolean,
  ): Promise<Described | null> {
    const unbound = beforeBinding(screened, [], catalog);
    if (unbound.unsafeToBind || !admits(describeNames(unbound))) return null;
    const { plans, error, finding } = await this.binder.bind(task, screened, catalog);
    if (error !== null || finding) return null;
    const description = describeStatement(unbound, plans);
    return description.findings.length > 0
      ? null
      : { description, engineError: null, catalog, names: null, plans, secured: [], inner: NONE };
  }

  /** A catalog that was read before is as good as the statement's own when nothing has changed since before it began. */
  private known(session: NodeSession | null, epoch: number | null): SessionCatalog | null {
    if (epoch === null || this.epoch.stable !== epoch) return null;
    if (this.shared?.epoch === epoch && isAsOpened(session)) return this.shared.catalog;
    const own = session ? this.ofSession.get(session) : undefined;
    return own?.key === keyOf(session, epoch) ? own.catalog : null;
  }

  /** The catalog of a statement's own snapshot; what is read in a transaction of the user's is good for that statement alone. */
  private async read(task: EngineTask, session: NodeSession | null, epoch: number | null): Promise<SessionCatalog> {
    const snapshot: CatalogSnapshot = await task.call(readCatalog);
    const path: SearchPath = await task.call(readSearchPath);
    const catalog: SessionCatalog = { snapshot, path, ...this.engine.known, ...OF_NOBODY };
    if (epoch !== null && this.epoch.stable === epoch) {
      if (isAsOpened(session)) this.shared = { epoch, catalog };
      else if (session) this.ofSession.set(session, { key: keyOf(session, epoch), catalog });
    }
    return catalog;
  }

  private async names(task: EngineTask, screened: Screened): Promise<Parsed> {
    const query = screened.shape === 'select' ? screened : screened.inner;
    const result: Parsed = { names: [], queries: [], inner: new Map(), findings: [], error: null };
    if (query?.shape !== 'select') return result;
    await this.collect(task, query, 0, result);
    return result;
  }

  private async parse(task: EngineTask, text: string): Promise<ReadTree> {
    return this.json.read('tree', await task.call((connection) => connection.parse(text)));
  }

  private async collect(task: EngineTask, query: Screened, depth: number, result: Parsed): Promise<void> {
    const read = await this.parse(task, query.text);
    if ('error' in read) {
      const error = planErrorMessage(read.error.type, read.error.message);
      result.error ??= error;
      if (error === null) result.findings.push(notDescribed('this statement'));
      return;
    }
    const { names } = read;
    const types = depth > 0 ? query.types.map(({ parts }) => writtenName(parts)) : [];
    result.names.push({ ...withQueryTables(names), types: [...names.types, ...types] });
    for (const literal of names.queries) {
      const inner = depth < MAX_QUERY_DEPTH ? innerQuery(literal, result) : null;
      if (inner) {
        result.queries.push(inner);
        const at = result.names.length;
        await this.collect(task, inner, depth + 1, result);
        const own = result.names[at];
        if (own) result.inner.set(literal, { tokens: inner.tokens, names: own });
      } else result.findings.push(notDescribed('query() of this text'));
    }
  }
}

const NONE: ReadonlyMap<string, InnerQuery> = new Map();

/** What a set says of a catalog, where there is none. */
const OF_NOBODY = { admitted: new Set<string>(), secured: new Map<string, SecuredView>(), withheld: null };

function isAsOpened(session: NodeSession | null): boolean {
  return session === null || session.epoch === 0;
}

function keyOf(session: NodeSession | null, epoch: number): string {
  return `${epoch}/${session?.epoch ?? 0}`;
}

interface Parsed {
  names: QueryNames[];
  /** The texts in `query('…')`. */
  queries: Screened[];
  /** What each of them names, by its text. */
  inner: Map<string, InnerQuery>;
  findings: Finding[];
  error: string | null;
}

/** What a use of macros stands for is bounded as the statement itself is. */
function checkMacros(texts: readonly Screened[], unbound: Unbound): void {
  try {
    for (const { tokens } of texts) checkMacroUse(tokens, unbound);
  } catch (error) {
    throw error instanceof ScreenRefusal ? screenError(error) : error;
  }
}

/** The text in `query('…')` is a statement of the user like any other: it passes the same screen. */
function innerQuery(text: string, result: Parsed): Screened | null {
  try {
    const screened = screen(text);
    result.findings.push(...screened.findings);
    if (screened.computedType) result.findings.push(notDescribed('query() of this text'));
    return screened.shape === 'select' ? screened : null;
  } catch (error) {
    if (error instanceof ScreenRefusal) return null;
    throw error;
  }
}

/** `query_table('s.t')` names a table as text. */
function withQueryTables(names: QueryNames): QueryNames {
  const tables = names.queryTables.map((text) => {
    const parts = partsOf(text);
    return { ...writtenName(parts.length > 0 ? parts : [text]), alias: false };
  });
  return { ...names, tables: [...names.tables, ...tables] };
}

function writtenName(parts: readonly string[]): WrittenName {
  const [name = '', schema = '', catalog = ''] = [...parts].reverse();
  return { catalog, schema, name };
}

function partsOf(text: string): string[] {
  try {
    return lex(text)
      .filter((token) => token.text !== '.')
      .map((token) => (token.type === 'word' ? token.text : token.value));
  } catch {
    return [text];
  }
}

/** The screen's refusal as the doors answer it. */
export function screenError(error: ScreenRefusal): DomainError {
  if (error.code === 'access_denied') {
    return new AccessDenied({ rule: error.rule ?? 'statement', message: error.message, objects: [], hint: null });
  }
  const reason = error.code === 'sql_error' ? 'unreadable_statement' : error.code;
  return new DomainError(reason, { detail: error.message });
}
