import { QueryNames } from '../ast';
import { CatalogSnapshot, CatalogTable, resolveTable, tableKey } from '../catalog';
import { classOfFunction, classOfSetting, functionFinding, isBuiltInType } from '../classification';
import { Access, Description, Finding, ObjectAccess, ObjectName } from '../description';
import { fold } from '../lexer';
import { PlanAccess, PlanAccesses, PlanFunction } from '../plan';
import { Screened, WrittenObject } from '../screen';
import {
  bodyFindings,
  closureOf,
  looksLikeFile,
  NamedObject,
  namedObject,
  namedInTree,
  SessionCatalog,
  ViewClosure,
} from './named-tables';

/** What is known before anything is bound. */
export interface Unbound {
  screened: Screened;
  catalog: SessionCatalog;
  named: NamedObject[];
  closures: ViewClosure[];
  findings: Finding[];
  /** Binding would have an effect, or would look for a file: only a superuser's statement goes on. */
  unsafeToBind: boolean;
  /** `named` is what a syntax tree tells: no name in it can be none. */
  exact: boolean;
}

/**
 * Step 2 of the pipeline (DESIGN section 6): what the text names, resolved in the session's own catalog. `names` holds
 * the syntax tree's names (a query and each `query('…')` in it); empty where no tree can be had.
 */
export function beforeBinding(screened: Screened, names: readonly QueryNames[], catalog: SessionCatalog): Unbound {
  const { snapshot, path } = catalog;
  const lexed = lexedObjects(screened, names.length > 0).filter(({ string }) => !string);
  const types = names.flatMap((n) => n.types).filter(({ name, schema }) => schema !== '' || !isBuiltInType(name));
  const tables = names.flatMap((n) => n.tables);
  const named = [
    ...namedInTree('table', tables, catalog),
    ...namedInTree('type', types, catalog),
    ...[...lexed, ...screened.types].map((written) => namedObject(written, catalog)),
  ];
  const findings = [...screened.findings, ...names.flatMap((n) => bodyFindings(n, snapshot))];
  findings.push(...macroFindings(screened, names, snapshot), ...attachmentFindings(screened, catalog));
  const read = named.filter(({ access }) => access === 'read');
  const views = read.flatMap(({ found }) => (found?.kind === 'view' && !found.internal ? [found] : []));
  const closures = views.map((view) => closureOf(view, path, snapshot));
  findings.push(...closures.flatMap((closure) => closure.findings), ...tableFindings(read, closures, snapshot));
  if (read.some(({ parts, missing }) => missing && looksLikeFile(parts))) {
    findings.push(refusal('file', 'a name in table position names a file; no location is authorized'));
  }
  if (screened.computedType && snapshot.types.length > 0) {
    findings.push(refusal('not-described', 'statement names a type by a text that is not a literal'));
  }
  const unsafeToBind = screened.unsafeToBind || findings.length > 0;
  return { screened, catalog, named, closures, findings, unsafeToBind, exact: names.length > 0 };
}

/**
 * Whether a statement can be described by its plan alone: its tokens tell all that its tree would, and the catalog has no
 * macro and no type of a user, and only tables and plain views under the names that it writes.
 */
export function isPlainIn(screened: Screened, { snapshot, path, stubs }: SessionCatalog): boolean {
  if (!screened.plain || snapshot.macros.size > 0 || snapshot.types.length > 0) return false;
  return screened.objects.every(({ parts, string }) => {
    const found = string ? null : resolveTable(parts, path, snapshot);
    return found !== null && !found.internal && !stubs.has(fold(found.catalog));
  });
}

/** The names that only the lexer can tell: of what a statement changes, and of all where it has no syntax tree. */
function lexedObjects(screened: Screened, hasTree: boolean): WrittenObject[] {
  const isCreated = ({ access }: WrittenObject): boolean => access === 'create' && screened.temporary;
  return hasTree && screened.shape !== 'view' ? [] : screened.objects.filter((object) => !isCreated(object));
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

/** The engine's plans of a statement: of itself, and of what it holds (the body of a view, the statement explained). */
export type BoundPlans = readonly PlanAccesses[];

/** The description of a statement that is not bound: what its text names, or of that only what is no doubt a name. */
export function describeNames(unbound: Unbound, which: 'all' | 'certain' = 'all'): Description {
  return describe(unbound, [], which === 'all' ? () => true : ({ missing, certain }) => !missing || certain);
}

/**
 * Step 3: the description of a statement by its plans. What they do not show is added by name: common table expressions
 * that nobody uses, and types.
 */
export function describeStatement(unbound: Unbound, plans: BoundPlans): Description {
  return describe(unbound, plans, ({ access, certain, missing }) => access === 'read' && (!missing || certain));
}

function describe(unbound: Unbound, plans: BoundPlans, counts: (named: NamedObject) => boolean): Description {
  const { screened } = unbound;
  const findings = [...unbound.findings];
  const objects = new Accesses(unbound);
  for (const plan of plans) {
    for (const access of plan.accesses) {
      if (isOwnSequence(access, plan.accesses, screened)) continue;
      objects.add(access, access);
    }
    findings.push(...planFindings(plan, screened));
  }
  objects.addNamed(unbound.named.filter(counts), plans.length > 0);
  const list = objects.list(plans.length > 0);
  for (const name of new Set(list.map((object) => object.catalog))) {
    if (!unbound.catalog.declared.has(fold(name)) && fold(name) !== 'temp') {
      findings.push(refusal('catalog', `catalog ${name} is not one that this pool declares`));
    }
  }
  findings.push(...readOnlyFindings(list, unbound.catalog));
  return {
    kind: screened.kind,
    objects: list,
    functions: [...new Set(plans.flatMap((plan) => plan.functions.map((f) => f.name)))],
    settings: [...new Set(plans.flatMap((plan) => plan.settings.map((s) => s.name)))],
    files: [],
    findings: unique(findings),
  };
}

/** Source: seed 000, "Superusers": the engine would say so too, but not before it has bound the statement. */
function readOnlyFindings(objects: readonly ObjectAccess[], { readOnly }: SessionCatalog): Finding[] {
  if (readOnly.size === 0) return [];
  return objects
    .filter(({ catalog, access }) => access !== 'read' && readOnly.has(fold(catalog)))
    .map(({ catalog }) => refusal('catalog', `catalog ${catalog} is read-only: nothing in it can be changed`, true));
}

/** What reads a table of a federated catalog; no plan says which. */
const FEDERATED_SCANS = new Set(['sqlite_scan']);

function planFindings(plan: PlanAccesses, screened: Screened): Finding[] {
  const findings = plan.undescribed.map((what) =>
    refusal('not-described', `statement uses ${what}, which is not supported`, true),
  );
  for (const called of plan.functions) {
    if (called.position === 'table' && FEDERATED_SCANS.has(called.name)) {
      findings.push(refusal('not-described', 'a table of a federated catalog is read where the plan does not name it'));
    } else if (called.foreign) findings.push(refusal('function', `function ${called.name} is not classified`));
    else {
      const kind = classOfFunction(called.name, called.position);
      if (kind === 'engine' || (kind === 'sequence' && isOfTheTable(called, plan.functions, screened))) continue;
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

/**
 * `DEFAULT nextval(…)` of the table that is written to: its owner's choice, not the caller's. Where the statement says
 * DEFAULT itself, the engine puts the expression in the place of the word.
 */
function isOfTheTable(
  one: PlanFunction | PlanAccess,
  all: readonly (PlanFunction | PlanAccess)[],
  screened: Screened,
): boolean {
  if (one.inDefault) return true;
  const written = screened.tokens.some((token) => token.type === 'word' && token.value === 'default');
  return written && all.some((other) => other.inDefault && other.name === one.name);
}

/**
 * A sequence that a default of the table moves, beside the table: it came with it. One of another schema is an object of
 * its own, which whoever writes to the table needs a grant on.
 */
function isOwnSequence(access: PlanAccess, all: readonly PlanAccess[], screened: Screened): boolean {
  if (access.kind !== 'sequence' || access.access !== 'update') return false;
  const besides = (other: PlanAccess): boolean =>
    other.kind === 'table' && WRITES.has(other.access) && sameSchema(other, access);
  return isOfTheTable(access, all, screened) && all.some(besides);
}

const WRITES: ReadonlySet<Access> = new Set<Access>(['insert', 'update', 'delete']);

function sameSchema(a: ObjectName, b: ObjectName): boolean {
  return fold(a.catalog) === fold(b.catalog) && fold(a.schema) === fold(b.schema);
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
  private readonly written = new Map<string, ObjectAccess['written']>();
  private readonly writes = new Set<string>();

  constructor(private readonly unbound: Unbound) {
    const direct = unbound.named.filter(({ found, access }) => found?.kind !== 'view' && access === 'read');
    this.direct = new Set(direct.flatMap(({ means }) => means.map(tableKey)));
    for (const { means, written, missing } of [...unbound.named].reverse()) {
      means.forEach((name, i) => this.written.set(tableKey(name), missing ? written.slice(i, i + 1) : written));
    }
  }

  add(name: ObjectName, what: Pick<ObjectAccess, 'kind' | 'access' | 'columns'>, missing = false): void {
    const object = this.complete(name);
    const place = tableKey(object);
    const { kind, access, columns } = what;
    if (access === 'insert' || access === 'update' || access === 'delete') this.writes.add(place);
    const key = `${place}\0${access}`;
    const known = this.byKey.get(key);
    if (known) {
      if (columns.length > 0) known.columns = [...new Set([...known.columns, ...columns])];
      return;
    }
    const via = access === 'read' ? this.viewsOver(place) : [];
    const [leading] = via;
    this.byKey.set(key, {
      catalog: object.catalog,
      schema: object.schema,
      name: object.name,
      kind,
      access,
      columns: [...new Set(columns)],
      temporary: fold(object.catalog) === 'temp',
      via,
      written: this.written.get(leading ? tableKey(leading) : place) ?? [],
      missing,
    });
  }

  /** DROP IF EXISTS of nothing, and DROP SCHEMA, name less than three parts. */
  private complete(object: ObjectName): ObjectName {
    const { catalog, schema, name } = object;
    if (catalog !== '' && schema !== '') return object;
    const defaults = this.unbound.catalog.path[0] ?? { catalog: '', schema: 'main' };
    return { catalog: catalog || defaults.catalog, schema: schema || defaults.schema, name };
  }

  private viewsOver(place: string): ObjectName[] {
    if (this.direct.has(place)) return [];
    const over = this.unbound.closures.filter((closure) => closure.bases.has(place));
    // A table under a view that the closure does not tell is named by no refusal: any view of the statement stands for it.
    const views = over.length > 0 ? over : this.unbound.closures;
    return views.map(({ view }) => ({ catalog: view.catalog, schema: view.schema, name: view.name }));
  }

  addNamed(named: readonly NamedObject[], bound: boolean): void {
    for (const { found, means, missing, kind, access } of named) {
      const reads = access === 'read';
      // What is read of a view are its bases.
      if (reads && (found?.internal || found?.kind === 'view')) continue;
      if (bound && found && this.writes.has(tableKey(found))) continue;
      for (const name of means) this.add(name, { kind: found?.kind ?? kind, access, columns: [] }, missing);
    }
    for (const { bases } of this.unbound.closures) {
      for (const base of bases.values()) this.add(base, { kind: base.kind, access: 'read', columns: [] });
    }
  }

  /** The scan of its own target that every UPDATE and DELETE has is no read of the user's: no column of it is used. */
  list(bound: boolean): ObjectAccess[] {
    return [...this.byKey.values()].filter(
      (object) =>
        !(
          bound &&
          object.access === 'read' &&
          this.writes.has(tableKey(object)) &&
          object.columns.every((c) => c === 'rowid')
        ),
    );
  }
}
