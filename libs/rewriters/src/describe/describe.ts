import { QueryNames } from '../ast';
import { CatalogSnapshot, CatalogTable, qualify, resolveTable, SearchPath, tableKey } from '../catalog';
import { classOfFunction, classOfSetting, functionFinding } from '../classification';
import { Access, Description, Finding, ObjectAccess, ObjectName } from '../description';
import { fold } from '../lexer';
import { PlanAccesses } from '../plan';
import { Screened } from '../screen';
import { bodyFindings, closureOf, looksLikeFile, NamedObject, namedObjects, ViewClosure } from './named-tables';

/** What a session resolves names with. */
export interface SessionCatalog {
  snapshot: CatalogSnapshot;
  path: SearchPath;
  /** Folded names of the catalogs that the pool declares; any other one is refused (reference/ducklake.md section 2). */
  declared: ReadonlySet<string>;
}

/** What is known before anything is bound. */
export interface Unbound {
  screened: Screened;
  catalog: SessionCatalog;
  named: NamedObject[];
  types: ObjectName[];
  closures: ViewClosure[];
  findings: Finding[];
  /** Binding would have an effect, or would look for a file: only a superuser's statement goes on. */
  unsafeToBind: boolean;
}

/**
 * Step 2 of the pipeline (DESIGN section 6): what the text names, resolved in the session's own catalog. `names` holds
 * the syntax tree's names (a query and each `query('…')` in it); empty where no tree can be had.
 */
export function beforeBinding(screened: Screened, names: readonly QueryNames[], catalog: SessionCatalog): Unbound {
  const { snapshot, path } = catalog;
  const written = names.flatMap((n) => n.tables);
  const lexed = names.length > 0 && screened.plain ? [] : lexedTables(screened).filter((table) => !table.string);
  const named = [
    ...namedObjects(written, path, snapshot),
    ...lexed.map(({ parts }) => ({ parts, found: resolveTable(parts, path, snapshot) })),
  ];
  const findings = [...screened.findings, ...names.flatMap((n) => bodyFindings(n, snapshot))];
  findings.push(...macroFindings(screened, names, snapshot), ...attachmentFindings(screened, catalog));
  const views = named.flatMap(({ found }) => (found?.kind === 'view' && !found.internal ? [found] : []));
  const closures = views.map((view) => closureOf(view, path, snapshot));
  findings.push(...closures.flatMap((closure) => closure.findings), ...tableFindings(named, closures, snapshot));
  const files = named.some(({ parts, found }) => !found && looksLikeFile(parts));
  if (files) findings.push(refusal('file', 'a name in table position names a file; no location is authorized'));
  const types = names.flatMap((n) => n.types).flatMap((type) => userType(type, snapshot));
  const unsafeToBind = screened.unsafeToBind || findings.length > 0;
  return { screened, catalog, named, types, closures, findings, unsafeToBind };
}

/**
 * Whether a statement can be described by its plan alone: its tokens tell all that its tree would, and the catalog has no
 * macro and no type of a user, and only tables and plain views under the names that it writes.
 */
export function isPlainIn(screened: Screened, { snapshot, path }: SessionCatalog): boolean {
  if (!screened.plain || snapshot.macros.size > 0 || snapshot.types.length > 0) return false;
  return screened.tables.every(({ parts, string }) => {
    const found = string ? null : resolveTable(parts, path, snapshot);
    return found !== null && !found.internal;
  });
}

/** The names that only the lexer can tell: those of statements without a syntax tree. */
function lexedTables(screened: Screened) {
  if (screened.plain) return screened.tables;
  if (screened.shape === 'explain') return screened.inner?.shape === 'select' ? [] : screened.tables;
  return screened.shape === 'select' || screened.shape === 'view' ? [] : screened.tables.filter((t) => !t.target);
}

function refusal(rule: Finding['rule'], message: string, bindsSuperusers = false): Finding {
  return { rule, message, bindsSuperusers };
}

/** A macro that a user made stands before the engine's function of its name: wherever it could be meant, it is refused. */
function macroFindings(screened: Screened, names: readonly QueryNames[], snapshot: CatalogSnapshot): Finding[] {
  if (snapshot.macros.size === 0 || names.length > 0) return [];
  return screened.tokens
    .filter((token, i) => snapshot.macros.has(fold(token.value)) && isCallOrOperator(screened, i))
    .map((token) => refusal('function', `function ${token.value} is not classified`));
}

/** What a pool declares stays attached as it is, whoever asks: every user of the node stands on it. */
function attachmentFindings(screened: Screened, { declared }: SessionCatalog): Finding[] {
  const { kind, tokens } = screened.inner ?? screened;
  if (kind !== 'ATTACH' && kind !== 'DETACH') return [];
  return tokens
    .filter((token) => declared.has(fold(token.value)))
    .map((token) =>
      refusal('catalog', `catalog ${token.value} is one that the pool declares: it stays attached`, true),
    );
}

function isCallOrOperator(screened: Screened, i: number): boolean {
  const token = screened.tokens[i];
  if (token?.type === 'operator') return true;
  return screened.tokens[i + 1]?.text === '(' && (token?.type === 'word' || token?.type === 'quoted');
}

/** Internal listings, and tables whose own definition calls what is not classified. */
function tableFindings(named: NamedObject[], closures: ViewClosure[], snapshot: CatalogSnapshot): Finding[] {
  const findings: Finding[] = [];
  for (const { found } of named) {
    if (found?.internal) findings.push(refusal('listing', `${found.name} lists objects that no grant covers`));
  }
  const tables = [...named.flatMap(({ found }) => found ?? []), ...closures.flatMap((c) => [...c.bases.values()])];
  for (const table of tables) findings.push(...definitionFindings(table, snapshot));
  return findings;
}

function definitionFindings(table: CatalogTable, snapshot: CatalogSnapshot): Finding[] {
  if (table.kind !== 'table') return [];
  return table.calls
    .filter((name) => snapshot.macros.has(fold(name)))
    .map((name) => refusal('function', `function ${name} is not classified`));
}

function userType(type: ObjectName, snapshot: CatalogSnapshot): ObjectName[] {
  return snapshot.types.filter(
    (candidate) =>
      fold(candidate.name) === fold(type.name) && (type.schema === '' || fold(candidate.schema) === fold(type.schema)),
  );
}

/** The engine's plans of a statement: of itself, and of what it holds (the body of a view, the statement explained). */
export type BoundPlans = readonly PlanAccesses[];

/**
 * Step 3: the description. With no plan (binding failed, or was not safe) it holds what the text names, so that a
 * refusal can be given in the same words for a hidden object and for none.
 */
export function describeStatement(unbound: Unbound, plans: BoundPlans): Description {
  const { screened } = unbound;
  const findings = [...unbound.findings];
  const objects = new Accesses(unbound);
  for (const plan of plans) {
    for (const access of plan.accesses) {
      if (access.kind === 'sequence' && access.access === 'update' && !callsSequence(screened)) continue;
      objects.add(access, access);
    }
    findings.push(...planFindings(plan, screened));
  }
  objects.addNamed(plans.length > 0);
  for (const type of unbound.types) objects.add(type, { kind: 'type', access: 'read', columns: [] });
  const list = objects.list();
  for (const name of new Set(list.map((object) => object.catalog))) {
    if (!unbound.catalog.declared.has(fold(name)) && fold(name) !== 'temp') {
      findings.push(refusal('catalog', `catalog ${name} is not one that this pool declares`));
    }
  }
  return {
    kind: screened.kind,
    objects: list,
    functions: [...new Set(plans.flatMap((plan) => plan.functions.map((f) => f.name)))],
    settings: [...new Set(plans.flatMap((plan) => plan.settings.map((s) => s.name)))],
    files: [],
    findings: unique(findings),
  };
}

function callsSequence(screened: Screened): boolean {
  return screened.tokens.some((token) => classOfFunction(token.value, 'scalar') === 'sequence');
}

function planFindings(plan: PlanAccesses, screened: Screened): Finding[] {
  const findings = plan.undescribed.map((what) =>
    refusal('not-described', `statement uses ${what}, which is not supported`, true),
  );
  for (const called of plan.functions) {
    if (called.foreign) findings.push(refusal('function', `function ${called.name} is not classified`));
    else if (classOfFunction(called.name, called.position) === 'engine') continue;
    else if (isOfTheTable(called.name, screened)) continue;
    else {
      const found = functionFinding(called.name, called.position);
      if (found) findings.push(found);
    }
  }
  for (const { name, scope } of plan.settings) {
    const found = settingFinding(name, scope);
    if (found) findings.push(found);
  }
  return findings;
}

/** `DEFAULT nextval(…)` of the table that is written to: its owner's choice, not the caller's. */
function isOfTheTable(name: string, screened: Screened): boolean {
  const writes = screened.kind === 'INSERT' || screened.kind === 'MERGE' || screened.kind === 'UPDATE';
  return writes && classOfFunction(name, 'scalar') === 'sequence' && !callsSequence(screened);
}

/** Source: seed 000, "Functions, settings and statement types" and "Superusers". */
function settingFinding(name: string, scope: string): Finding | null {
  if (scope === 'VARIABLE') return null;
  const found = classOfSetting(name);
  if (found === 'frozen') return refusal('setting', `${name} cannot be changed`, true);
  if (found === 'session' && scope !== 'GLOBAL') return null;
  return refusal('setting', `setting ${name} is not one that a session may change`);
}

function unique(findings: Finding[]): Finding[] {
  return [...new Map(findings.map((found) => [`${found.rule}\0${found.message}`, found])).values()];
}

/** Collects accesses, one entry an object and access, columns united. */
class Accesses {
  private readonly byKey = new Map<string, ObjectAccess>();
  private readonly direct: Set<string>;
  private readonly writes = new Set<string>();

  constructor(private readonly unbound: Unbound) {
    const tables = unbound.named.flatMap(({ found }) => (found?.kind === 'table' ? [tableKey(found)] : []));
    this.direct = new Set(tables);
  }

  add(name: ObjectName, what: Pick<ObjectAccess, 'kind' | 'access' | 'columns'>): void {
    const object = this.complete(name);
    const key = `${tableKey(object)}\0${what.access}`;
    if (what.access === 'insert' || what.access === 'update' || what.access === 'delete')
      this.writes.add(tableKey(object));
    const known = this.byKey.get(key);
    if (known) {
      known.columns = [...new Set([...known.columns, ...what.columns])];
      return;
    }
    this.byKey.set(key, {
      ...object,
      ...{ kind: what.kind, access: what.access, columns: [...new Set(what.columns)] },
      temporary: fold(object.catalog) === 'temp',
      via: what.access === 'read' ? this.viewsOver(object) : [],
      missing: false,
    });
  }

  /** DROP IF EXISTS of nothing, and DROP SCHEMA, name less than three parts. */
  private complete({ catalog, schema, name }: ObjectName): ObjectName {
    const defaults = this.unbound.catalog.path[0] ?? { catalog: '', schema: 'main' };
    return { catalog: catalog || defaults.catalog, schema: schema || defaults.schema, name };
  }

  private viewsOver(object: ObjectName): ObjectName[] {
    const key = tableKey(object);
    if (this.direct.has(key)) return [];
    const over = this.unbound.closures.filter((closure) => closure.bases.has(key));
    // A table under a view that the closure does not tell is named by no refusal: any view of the statement stands for it.
    const views = over.length > 0 ? over : this.unbound.closures;
    return views.map(({ view }) => ({ catalog: view.catalog, schema: view.schema, name: view.name }));
  }

  /**
   * What the text names and no plan shows: common table expressions that nobody uses, and, where nothing was bound,
   * everything. Names that mean nothing are kept as such.
   */
  addNamed(bound: boolean): void {
    const { named, closures, screened, catalog } = this.unbound;
    for (const { parts, found } of named) {
      if (found?.internal) continue;
      if (!found) {
        if (bound && screened.shape !== 'select') continue;
        this.addMissing(qualify(parts, catalog.path, catalog.snapshot), 'read');
      } else if (found.kind === 'table') {
        if (!this.writes.has(tableKey(found))) this.add(found, { kind: 'table', access: 'read', columns: [] });
      } else if (!bound) this.addView(found);
    }
    if (bound) for (const { bases } of closures) this.addBases(bases);
    else this.addTargets();
  }

  private addBases(bases: Map<string, CatalogTable>): void {
    for (const base of bases.values()) this.add(base, { kind: 'table', access: 'read', columns: [] });
  }

  /** A view over nothing but constants has no base to be judged by. */
  private addView(view: CatalogTable): void {
    const closure = this.unbound.closures.find((candidate) => candidate.view === view);
    this.addBases(closure?.bases ?? new Map<string, CatalogTable>());
  }

  private addTargets(): void {
    const { screened, catalog } = this.unbound;
    const access = TARGET_ACCESS[screened.kind === 'EXPLAIN' ? (screened.inner?.kind ?? 'EXPLAIN') : screened.kind];
    if (!access) return;
    for (const { parts, target, string } of screened.tables) {
      if (!target || string) continue;
      const found = resolveTable(parts, catalog.path, catalog.snapshot);
      if (found) this.add(found, { kind: found.kind, access, columns: [] });
      else if (screened.temporary) continue;
      else this.addMissing(qualify(parts, catalog.path, catalog.snapshot), access);
    }
  }

  private addMissing(name: ObjectName, access: Access): void {
    const key = `${tableKey(name)}\0${access}`;
    const kind = 'unknown' as const;
    this.byKey.set(key, { ...name, kind, access, columns: [], temporary: false, via: [], missing: true });
  }

  /** The scan of its own target that every UPDATE and DELETE has is no read of the user's: no column of it is used. */
  list(): ObjectAccess[] {
    return [...this.byKey.values()].filter(
      (object) =>
        !(object.access === 'read' && this.writes.has(tableKey(object)) && object.columns.every((c) => c === 'rowid')),
    );
  }
}

const TARGET_ACCESS: Partial<Record<Description['kind'], Access>> = {
  INSERT: 'insert',
  UPDATE: 'update',
  DELETE: 'delete',
  MERGE: 'update',
  CREATE: 'create',
  DROP: 'drop',
  ALTER: 'alter',
  COMMENT: 'alter',
  COPY: 'insert',
};
