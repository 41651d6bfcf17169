import { QueryNames } from '../ast';
import {
  CatalogSnapshot,
  CatalogTable,
  possible,
  qualify,
  resolveTable,
  resolveType,
  SearchPath,
  tableKey,
} from '../catalog';
import { classOfFunction, functionFinding } from '../classification';
import { Access, Finding, ObjectAccess, ObjectKind, ObjectName } from '../description';
import { fold } from '../lexer';
import { WrittenObject } from '../screen';

/** Views may stand on views this deep (seed 000, "Functions, settings and statement types"). */
const MAX_VIEW_DEPTH = 16;

/** What a session resolves names with. */
export interface SessionCatalog {
  snapshot: CatalogSnapshot;
  path: SearchPath;
  /** Folded names of the catalogs that the pool declares; any other one is refused (reference/ducklake.md section 2). */
  declared: ReadonlySet<string>;
  /** Folded names of those in which nothing is changed, by anybody. */
  readOnly: ReadonlySet<string>;
  /** Catalogs whose scans a plan does not name, folded, with the catalog of empty tables that stands for each of them. */
  stubs: ReadonlyMap<string, string>;
}

/** A name that the statement writes, and what it means in this session. */
export interface NamedObject {
  parts: string[];
  kind: ObjectKind;
  access: Access;
  /** The table or view of that name. */
  found: CatalogTable | null;
  /** What the statement reaches by that name; where nothing is found, all that it could mean. */
  means: ObjectName[];
  /** All that the name could mean, as it may be shown to one whom no grant tells what it does mean. */
  written: ObjectAccess['written'];
  missing: boolean;
  /** It is judged whatever the plan holds: see `WrittenObject`. */
  certain: boolean;
}

/** What a plain view stands on, through all its views. */
export interface ViewClosure {
  view: CatalogTable;
  bases: Map<string, CatalogTable>;
  findings: Finding[];
}

function partsOf(name: ObjectName): string[] {
  return [name.catalog, name.schema, name.name].filter((part) => part !== '');
}

/** What one name in the text means. Nothing here tells a hidden object from a missing one but `found` and `missing`. */
export function namedObject(
  { parts, kind, access, certain }: Omit<WrittenObject, 'string'>,
  { path, snapshot, declared }: SessionCatalog,
): NamedObject {
  const written = possible(parts, path, declared);
  const at = (means: ObjectName[], shown: readonly ObjectName[], missing = false): NamedObject => {
    const named = shown.map((name) => ({ ...name, kind }));
    return { parts, kind, access, found: null, means, written: named, missing, certain };
  };
  if (kind === 'schema') {
    const [schema = '', catalog = path[0]?.catalog ?? ''] = [...parts].reverse();
    const wide = [{ catalog, schema, name: '*' }];
    return at(wide, wide);
  }
  if (kind === 'index') {
    // An index belongs to a table that its name does not tell: an access to the whole schema.
    const wide = written.map((name) => ({ ...name, name: '*' }));
    return at(wide, wide);
  }
  if (access === 'create') {
    const made = [qualify(parts, path, declared)];
    return at(made, made);
  }
  if (kind === 'type') {
    const found = resolveType(parts, path, snapshot);
    return found ? at([found], written) : at(written, written, true);
  }
  const found = kind === 'table' || kind === 'view' ? resolveTable(parts, path, snapshot) : null;
  return found ? { ...at([found], written), found } : at(written, written, true);
}

/** What the names of a syntax tree mean. */
export function namedInTree(kind: ObjectKind, names: readonly ObjectName[], catalog: SessionCatalog): NamedObject[] {
  return names.map((name) => namedObject({ parts: partsOf(name), kind, access: 'read', certain: true }, catalog));
}

const FILE_ENDING = /^(csv|tsv|txt|json|jsonl|ndjson|parquet|gz|zst|xlsx|db|duckdb|ddb|arrow|avro)$/i;

/** A name that DuckDB would try as a file when no table has it: it joins the parts by dots, `a.csv` is the file of that name. */
export function looksLikeFile(parts: readonly string[]): boolean {
  const ending = parts.length > 1 && FILE_ENDING.test(parts[parts.length - 1] ?? '');
  return ending || parts.some((part) => /[./\\*?:[\]{}]/.test(part));
}

/** The base tables of a view, and what its body holds that makes it unreadable to tenant users. */
export function closureOf(view: CatalogTable, path: SearchPath, snapshot: CatalogSnapshot): ViewClosure {
  const closure: ViewClosure = { view, bases: new Map(), findings: [] };
  descend(view, 1, { path, snapshot, closure, deepest: new Map() });
  return closure;
}

interface Descent {
  path: SearchPath;
  snapshot: CatalogSnapshot;
  closure: ViewClosure;
  /** How deep each view has been met: many roads may lead to one. */
  deepest: Map<string, number>;
}

/** Adds what a view stands on. One that stands on no table is a base itself: there is no other grant to read it by. */
function descend(view: CatalogTable, depth: number, descent: Descent): void {
  const { path, snapshot, closure, deepest } = descent;
  const key = tableKey(view);
  if ((deepest.get(key) ?? 0) >= depth) return;
  deepest.set(key, depth);
  const refuse = (rule: Finding['rule'], message: string) =>
    closure.findings.push({ rule, message, bindsSuperusers: false });
  // A view that reads files or listings is judged by the functions of the bound plan; here by what its text calls.
  for (const found of view.body ? bodyFindings(view.body, snapshot) : []) closure.findings.push(found);
  if (depth > MAX_VIEW_DEPTH) refuse('not-described', `views are nested over ${MAX_VIEW_DEPTH} deep`);
  else if (!view.body) refuse('not-described', 'the body of a view could not be read');
  const viewPath = [{ catalog: view.catalog, schema: view.schema }, ...path];
  const names = depth > MAX_VIEW_DEPTH ? [] : (view.body?.tables ?? []);
  const under = names.flatMap((name) => resolveTable(partsOf(name), viewPath, snapshot) ?? []);
  const own = under.filter(({ internal }) => !internal);
  if (own.length === 0) closure.bases.set(key, view);
  for (const found of own) {
    if (found.kind === 'view') descend(found, depth + 1, descent);
    else closure.bases.set(tableKey(found), found);
  }
}

/** What a query text calls that no tenant user may call. */
export function bodyFindings(names: QueryNames, snapshot: CatalogSnapshot): Finding[] {
  const findings: Finding[] = [];
  for (const called of names.functions) {
    const qualified = fold(called.catalog) === 'system';
    const dynamic = called.position === 'table' && classOfFunction(called.name, 'table') === 'dynamic';
    if (!qualified && snapshot.macros.has(fold(called.name))) {
      findings.push({ rule: 'function', message: `function ${called.name} is not classified`, bindsSuperusers: false });
    } else if (!dynamic) {
      const found = functionFinding(called.name, called.position);
      if (found) findings.push(found);
    }
  }
  for (const what of names.unsupported) {
    findings.push({
      rule: what.startsWith('SHOW') ? 'listing' : 'not-described',
      message: `statement uses ${what}, which is not supported`,
      bindsSuperusers: false,
    });
  }
  if (names.timeTravel) {
    findings.push({
      rule: 'not-described',
      message: 'statement uses AT (an earlier snapshot), which is not supported',
      bindsSuperusers: false,
    });
  }
  return findings;
}
