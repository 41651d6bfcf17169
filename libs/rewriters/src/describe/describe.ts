import { QueryNames, valueFunction } from '../ast';
import { CatalogTable, resolveTable, tableKey } from '../catalog';
import { classOfFunction, classOfSetting, functionFinding, isEngineType, notClassified } from '../classification';
import { Access, Description, Finding, ObjectAccess, ObjectName, StatementKind } from '../description';
import { listingNamed } from '../govern/listings';
import { fold, Token } from '../lexer';
import { PlanAccess, PlanAccesses, PlanFunction } from '../plan';
import { bracketEnds, isOpening, Screened, WrittenObject } from '../screen';
import { Accesses } from './accesses';
import { areAdmitted, bodyFindings, callFinding, callsOf, defaultFinding, macrosCalled } from './body-findings';
import { isSecured } from './is-secured';
import { closureOf, MacroClosure, macroClosures, ViewClosure } from './closures';
import { looksLikeFile, NamedObject, namedObject, namedInTree, SessionCatalog } from './named-tables';
import { leadsToSecured, outOfReach, securedFindings } from './secured-views';

/** What is known before anything is bound. */
export interface Unbound {
  screened: Screened;
  catalog: SessionCatalog;
  named: NamedObject[];
  closures: ViewClosure[];
  /** Of the macros of users that are called, where all that may be meant are admitted. */
  macros: MacroClosure[];
  /** The secure views that it reads, by their names or through plain views, each once. */
  secured: CatalogTable[];
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
  const { snapshot } = catalog;
  const lexed = lexedObjects(screened, names.length > 0).filter(({ string }) => !string);
  const types = names.flatMap((n) => n.types).filter(({ name, schema }) => schema !== '' || !isEngineType(name));
  const tables = names.flatMap((n) => n.tables);
  const named = [
    ...namedInTree('table', tables, catalog),
    ...namedInTree('type', types, catalog),
    ...[...lexed, ...screened.types].map((written) => namedObject(written, catalog)),
  ];
  const findings = screened.findings.filter(({ unclassified }) => !isAdmittedCall(unclassified, catalog));
  findings.push(...names.flatMap((n) => bodyFindings(n, catalog)));
  const calls = names.length > 0 ? names.flatMap(callsOf) : lexedCalls(screened, catalog);
  // In a tree a call has been judged already, by its position.
  if (names.length === 0) findings.push(...calls.flatMap((name) => macroFinding(name, catalog) ?? []));
  findings.push(...attachmentFindings(screened, catalog));
  const read = named.filter(({ access }) => access === 'read');
  const views = read.flatMap(({ found }) => (found && isPlainView(found, catalog) ? [found] : []));
  const closures = views.map((view) => closureOf(view, catalog));
  const under = closures.flatMap(({ bases }) => [...bases.values()]);
  const macros = macroClosures([...calls, ...[...found(named), ...under].flatMap(callsIn)], catalog);
  const defined = [...found(read), ...under, ...tablesUnder(macros, catalog)];
  findings.push(...[...closures, ...macros].flatMap((closure) => closure.findings));
  findings.push(...listingFindings(read), ...defined.flatMap(definitionFindings(catalog)));
  if (read.some(({ parts, missing }) => missing && looksLikeFile(parts))) {
    findings.push(refusal('file', 'a name in table position names a file; no location is authorized'));
  }
  const secured = securedIn([...found(read), ...under], catalog);
  findings.push(...securedFindings(secured, catalog), ...textFindings(names.slice(1), catalog));
  if (screened.computedType && snapshot.types.length > 0) {
    findings.push(refusal('not-described', 'statement names a type by a text that is not a literal'));
  }
  const unsafeToBind = screened.unsafeToBind || findings.length > 0;
  return { screened, catalog, named, closures, macros, secured, findings, unsafeToBind, exact: names.length > 0 };
}

/**
 * Whether a statement can be described by its plan alone: its tokens tell all that its tree would, and the catalog has no
 * macro and no type of a user, and only tables and plain views under the names that it writes.
 */
export function isPlainIn(screened: Screened, catalog: SessionCatalog): boolean {
  const { snapshot, path, stubs } = catalog;
  if (!screened.plain || snapshot.macros.size > 0 || snapshot.types.length > 0) return false;
  return screened.objects.every(({ parts, string }) => {
    const found = string ? null : resolveTable(parts, path, snapshot);
    if (found === null || found.internal || stubs.has(fold(found.catalog))) return false;
    return !leadsToSecured(found, catalog);
  });
}

function isPlainView(found: CatalogTable, catalog: SessionCatalog): boolean {
  return found.kind === 'view' && !found.internal && !isSecured(found, catalog);
}

function securedIn(tables: readonly CatalogTable[], catalog: SessionCatalog): CatalogTable[] {
  return [...new Set(tables.filter((table) => isSecured(table, catalog)))];
}

/** Of the texts in `query('…')`: no token of the statement can be replaced there. */
function textFindings(names: readonly QueryNames[], catalog: SessionCatalog): Finding[] {
  if (catalog.secured.size === 0) return [];
  const tables = namedInTree(
    'table',
    names.flatMap((n) => n.tables),
    catalog,
  );
  return found(tables).some((table) => leadsToSecured(table, catalog)) ? [outOfReach('in a text')] : [];
}

/** The names that only the lexer can tell: of what a statement changes, and of all where it has no syntax tree. */
function lexedObjects(screened: Screened, hasTree: boolean): WrittenObject[] {
  const isCreated = ({ access }: WrittenObject): boolean => access === 'create' && screened.temporary;
  return hasTree && screened.shape !== 'view' ? [] : screened.objects.filter((object) => !isCreated(object));
}

function refusal(rule: Finding['rule'], message: string, bindsSuperusers = false): Finding {
  return { rule, message, bindsSuperusers };
}

/** A macro of a user stands before the engine's function of its name: wherever it could be meant, it has to be admitted. */
function macroFinding(name: string, catalog: SessionCatalog): Finding | null {
  return areAdmitted(macrosCalled(name, catalog), catalog) ? null : notClassified(name);
}

/** Whether a name that no class is known of is that of macros which are admitted. */
function isAdmittedCall(name: string | undefined, catalog: SessionCatalog): boolean {
  if (name === undefined) return false;
  const macros = macrosCalled(name, catalog);
  return macros.length > 0 && areAdmitted(macros, catalog);
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

/** Functions that words and signs stand for, beside operators of their name. */
const FUNCTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  like: ['~~', '!~~'],
  ilike: ['~~*', '!~~*'],
  glob: ['~~~'],
  similar: ['regexp_full_match'],
  at: ['timezone'],
  extract: ['date_part'],
  '[': ['list_value', 'array_extract', 'array_slice'],
  '{': ['struct_pack'],
};

/** The macros that may be called where no tree tells: by name, as an operator, or by what else stands for one. */
function lexedCalls({ tokens }: Screened, catalog: SessionCatalog): string[] {
  if (catalog.snapshot.macros.size === 0) return [];
  return tokens
    .flatMap((token, i) => namesOf(token, tokens[i + 1]))
    .filter((name) => macrosCalled(name, catalog).length > 0);
}

function namesOf({ type, value }: Token, next: Token | undefined): string[] {
  if (type === 'operator') return [value];
  if (type !== 'word' && type !== 'quoted' && type !== 'punctuation') return [];
  const stands = type !== 'quoted' && Object.hasOwn(FUNCTIONS_OF, value) ? (FUNCTIONS_OF[value] ?? []) : [];
  const bare = type === 'punctuation' ? undefined : valueFunction(fold(value));
  const called = type !== 'punctuation' && next?.text === '(' ? [value] : [];
  return [...called, ...stands, ...(bare === undefined ? [] : [bare])];
}

/** Internal listings. */
function listingFindings(named: readonly NamedObject[]): Finding[] {
  return named.flatMap(({ found, parts }) =>
    found?.internal && listingNamed(parts) === null
      ? [refusal('listing', `${found.name} lists objects that no grant covers`)]
      : [],
  );
}

function found(named: readonly NamedObject[]): CatalogTable[] {
  return named.flatMap((one) => one.found ?? []);
}

function callsIn(table: CatalogTable): readonly string[] {
  return table.kind === 'table' ? table.calls : [];
}

function tablesUnder(macros: readonly MacroClosure[], { snapshot }: SessionCatalog): CatalogTable[] {
  return macros.flatMap(({ bases }) => [...bases.keys()].flatMap((key) => snapshot.tables.get(key) ?? []));
}

/** A table whose own definition calls what is not classified. */
const definitionFindings =
  (catalog: SessionCatalog) =>
  (table: CatalogTable): Finding[] =>
    callsIn(table).flatMap((name) => {
      const found = macroFinding(name, catalog);
      return found ?? defaultFinding(name, macrosCalled(name, catalog), 0) ?? [];
    });

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
      // What is read under a secure view is not for its reader to hear.
      if (unbound.secured.length > 0 && access.access === 'read' && !objects.isLedTo(access)) {
        findings.push(outOfReach('where nothing can be put in its place'));
        continue;
      }
      objects.add(access, access);
    }
    findings.push(...planFindings(plan, screened, unbound.catalog));
  }
  objects.addNamed(unbound.named.filter(counts), plans.length > 0);
  const list = objects.list(plans.length > 0);
  for (const name of new Set(list.map((object) => object.catalog))) {
    if (!unbound.catalog.declared.has(fold(name)) && fold(name) !== 'temp') {
      findings.push(refusal('catalog', `catalog ${name} is not one that this pool declares`));
    }
  }
  findings.push(...readOnlyFindings(list, unbound.catalog), ...securedNameFindings(list, unbound.catalog));
  return {
    kind: screened.kind,
    governable: isGovernable(screened),
    objects: list,
    functions: [...new Set(plans.flatMap((plan) => plan.functions.map((f) => f.name)))],
    settings: [...new Set(plans.flatMap((plan) => plan.settings.map((s) => s.name)))],
    files: [],
    macros: unbound.macros.flatMap(({ macros }) =>
      macros.map(({ catalog, schema, name }) => ({ catalog, schema, name })),
    ),
    secureViews: unbound.secured.map(({ catalog, schema, name }) => ({ catalog, schema, name })),
    findings: unique(findings),
  };
}

const GOVERNED: ReadonlySet<StatementKind> = new Set<StatementKind>([
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'MERGE',
  'EXPLAIN',
]);

/** A view is governed where it is read; CREATE TABLE is by the query that fills it, and holds no constraint then. */
function isGovernable({ kind, shape, keyword, objectWord, tokens }: Screened): boolean {
  if (GOVERNED.has(kind) || shape === 'view') return true;
  if (keyword !== 'create' || objectWord !== 'table') return false;
  const ends = bracketEnds(tokens);
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (isOpening(token)) i = ends[i] as number;
    else if (token.type === 'word' && token.value === 'as') return true;
  }
  return false;
}

/** Source: seed 000, "Superusers": the engine would say so too, but not before it has bound the statement. */
function readOnlyFindings(objects: readonly ObjectAccess[], { readOnly }: SessionCatalog): Finding[] {
  if (readOnly.size === 0) return [];
  return objects
    .filter(({ catalog, access }) => access !== 'read' && readOnly.has(fold(catalog)))
    .map(({ catalog }) => refusal('catalog', `catalog ${catalog} is read-only: nothing in it can be changed`, true));
}

const DDL: ReadonlySet<Access> = new Set<Access>(['create', 'drop', 'alter']);

/** The name of a secure view is its owner's: another object under it would be read by those whom it was granted to. */
function securedNameFindings(objects: readonly ObjectAccess[], { secured }: SessionCatalog): Finding[] {
  if (secured.size === 0) return [];
  const holds = (object: ObjectAccess): boolean =>
    object.kind === 'schema'
      ? object.access === 'drop' && [...secured.values()].some((view) => sameSchema(view, object))
      : secured.has(tableKey(object));
  return objects
    .filter((object) => DDL.has(object.access) && holds(object))
    .map(({ kind, catalog, schema, name }) =>
      refusal(
        'secure-view',
        kind === 'schema'
          ? `schema ${catalog}.${schema} holds a secure view: a superuser alone drops it`
          : `${catalog}.${schema}.${name} is a secure view: a superuser alone changes or drops it`,
      ),
    );
}

/** What reads a table of a federated catalog; no plan says which. */
const FEDERATED_SCANS = new Set(['sqlite_scan']);

function planFindings(plan: PlanAccesses, screened: Screened, catalog: SessionCatalog): Finding[] {
  const findings = plan.undescribed.map((what) =>
    refusal('not-described', `statement uses ${what}, which is not supported`, true),
  );
  findings.push(...plan.unbounded.map((message) => refusal('function', message)));
  for (const called of plan.functions) {
    if (called.position === 'table' && FEDERATED_SCANS.has(called.name)) {
      findings.push(refusal('not-described', 'a table of a federated catalog is read where the plan does not name it'));
    } else if (called.foreign) findings.push(refusal('function', `function ${called.name} is not classified`));
    else {
      const kind = classOfFunction(called.name, called.position);
      if (kind === 'engine' || (kind === 'sequence' && isOfTheTable(called, plan.functions, screened))) continue;
      const { name, position, parsed } = called;
      const found = parsed ? callFinding(name, position, 0, catalog) : functionFinding(name, position);
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
