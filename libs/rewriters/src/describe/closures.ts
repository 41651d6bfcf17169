import { QueryNames } from '../ast';
import { CatalogTable, resolveTable, tableKey, UserMacro } from '../catalog';
import { classOfFunction, functionFinding, isEngineType } from '../classification';
import { Finding, ObjectKind, ObjectName } from '../description';
import { fold } from '../lexer';
import { areAdmitted, bodyFindings, callsOf, macrosCalled } from './body-findings';
import { isSecured } from './is-secured';
import { looksLikeFile, namedInTree, NamedObject, partsOf, SessionCatalog } from './named-tables';

/** Views may stand on views, and macros on macros, this deep (seed 000, "Functions, settings and statement types"). */
const MAX_DEPTH = 16;

/** What a plain view stands on, through all its views and macros. */
export interface ViewClosure {
  view: CatalogTable;
  bases: Map<string, CatalogTable>;
  findings: Finding[];
}

/** What the macros of one name stand for that a statement calls, through all that their bodies name. */
export interface MacroClosure {
  macros: readonly UserMacro[];
  bases: Map<string, MacroBase>;
  findings: Finding[];
}

/** What the body of a macro reads; where nothing of that name is there, one thing that it could mean. */
export interface MacroBase extends ObjectName {
  kind: ObjectKind;
  missing: boolean;
}

/** The base tables of a view, and what its body holds that makes it unreadable to tenant users. */
export function closureOf(view: CatalogTable, catalog: SessionCatalog, depth = 1): ViewClosure {
  const closure: ViewClosure = { view, bases: new Map(), findings: [] };
  descend(view, depth, { catalog, closure, deepest: new Map() });
  return closure;
}

interface Descent {
  catalog: SessionCatalog;
  closure: ViewClosure;
  /** How deep each view has been met: many roads may lead to one. */
  deepest: Map<string, number>;
}

/** Adds what a view stands on. One that stands on no table is a base itself: there is no other grant to read it by. */
function descend(view: CatalogTable, depth: number, descent: Descent): void {
  const { catalog, closure, deepest } = descent;
  const key = tableKey(view);
  if ((deepest.get(key) ?? 0) >= depth) return;
  deepest.set(key, depth);
  const { path, snapshot } = catalog;
  const refuse = (rule: Finding['rule'], message: string) =>
    closure.findings.push({ rule, message, bindsSuperusers: false });
  // A view that reads files or listings is judged by the functions of the bound plan; here by what its text calls.
  for (const found of view.body ? bodyFindings(view.body, catalog) : []) closure.findings.push(found);
  if (depth > MAX_DEPTH) refuse('not-described', `views are nested over ${MAX_DEPTH} deep`);
  else if (!view.body) refuse('not-described', 'the body of a view could not be read');
  const viewPath = [{ catalog: view.catalog, schema: view.schema }, ...path];
  const names = depth > MAX_DEPTH ? [] : (view.body?.tables ?? []);
  const under = names.flatMap((name) => resolveTable(partsOf(name), viewPath, snapshot) ?? []);
  const own = under.filter(({ internal }) => !internal);
  const calls = view.body && depth <= MAX_DEPTH ? callsOf(view.body) : [];
  const called = ofMacros(calls, { ...catalog, path: viewPath }, depth + 1, closure.findings);
  if (own.length === 0 && called.length === 0) closure.bases.set(key, view);
  for (const base of called) closure.bases.set(tableKey(base), base);
  for (const found of own) {
    if (found.kind === 'view' && !isSecured(found, catalog)) descend(found, depth + 1, descent);
    else closure.bases.set(tableKey(found), found);
  }
}

/** The tables that the macros read which the body of a view calls. */
function ofMacros(
  calls: readonly string[],
  catalog: SessionCatalog,
  depth: number,
  findings: Finding[],
): CatalogTable[] {
  return macroClosures(calls, catalog, depth).flatMap((closure) => {
    findings.push(...closure.findings);
    return [...closure.bases.keys()].flatMap((key) => catalog.snapshot.tables.get(key) ?? []);
  });
}

/** The closures of the admitted macros among these names; of others there are findings alone. */
export function macroClosures(calls: readonly string[], catalog: SessionCatalog, depth = 1): MacroClosure[] {
  if (catalog.snapshot.macros.size === 0) return [];
  return [...new Set(calls.map(fold))].flatMap((name) => {
    const macros = macrosCalled(name, catalog);
    if (macros.length === 0 || !areAdmitted(macros, catalog)) return [];
    const closure: MacroClosure = { macros, bases: new Map(), findings: [] };
    follow(name, depth, catalog, closure, new Set());
    return [closure];
  });
}

/**
 * Adds what the macros of a name read and call. The engine looks the names in a body up as those of the statement that
 * calls it, by the session's own search path.
 */
function follow(name: string, depth: number, catalog: SessionCatalog, closure: MacroClosure, seen: Set<string>): void {
  const refuse = (message: string) => closure.findings.push({ rule: 'not-described', message, bindsSuperusers: false });
  if (seen.has(name)) return;
  if (depth > MAX_DEPTH) return void refuse(`macros are nested over ${MAX_DEPTH} deep`);
  seen.add(name);
  for (const { body } of macrosCalled(name, catalog).flatMap(({ overloads }) => overloads)) {
    if (!body) refuse('the body of a macro could not be read');
    else {
      addBody(body, depth, catalog, closure);
      for (const call of callsOf(body)) follow(fold(call), depth + 1, catalog, closure, seen);
    }
  }
}

function addBody(body: QueryNames, depth: number, catalog: SessionCatalog, { bases, findings }: MacroClosure): void {
  findings.push(...bodyFindings(body, catalog));
  for (const { name, position } of body.functions) {
    // Text that is parsed as SQL: what a caller gives would be in it, and nothing has screened it.
    const found = classOfFunction(name, position) === 'dynamic' ? functionFinding(name, position) : null;
    if (found) findings.push(found);
  }
  const types = body.types.filter(({ name, schema }) => schema !== '' || !isEngineType(name));
  for (const named of [...namedInTree('table', body.tables, catalog), ...namedInTree('type', types, catalog)]) {
    addNamed(named, depth, catalog, bases, findings);
  }
}

function addNamed(
  named: NamedObject,
  depth: number,
  catalog: SessionCatalog,
  bases: MacroClosure['bases'],
  findings: Finding[],
): void {
  const { found, means, missing, kind, parts } = named;
  if (found?.internal) {
    findings.push({
      rule: 'listing',
      message: `${found.name} lists objects that no grant covers`,
      bindsSuperusers: false,
    });
  } else if (found && isSecured(found, catalog)) {
    findings.push({
      rule: 'secure-view',
      message: 'a secure view is read by a macro, which is not supported',
      bindsSuperusers: false,
    });
    bases.set(tableKey(found), { ...nameOf(found), kind: found.kind, missing: false });
  } else if (found?.kind === 'view') {
    const closure = closureOf(found, catalog, depth + 1);
    findings.push(...closure.findings);
    for (const [key, base] of closure.bases) bases.set(key, { ...nameOf(base), kind: base.kind, missing: false });
  } else {
    if (missing && looksLikeFile(parts)) {
      const message = 'a name in table position names a file; no location is authorized';
      findings.push({ rule: 'file', message, bindsSuperusers: false });
    }
    for (const name of means) bases.set(tableKey(name), { ...nameOf(name), kind: found?.kind ?? kind, missing });
  }
}

function nameOf({ catalog, schema, name }: ObjectName): ObjectName {
  return { catalog, schema, name };
}
