import { QueryNames } from '../ast';
import { CatalogSnapshot, CatalogTable, resolveTable, SearchPath, tableKey } from '../catalog';
import { classOfFunction, functionFinding } from '../classification';
import { Finding, ObjectName } from '../description';
import { fold } from '../lexer';

/** Views may stand on views this deep (seed 000, "Functions, settings and statement types"). */
const MAX_VIEW_DEPTH = 16;

/** A name that the statement writes, and what it means in this session. */
export interface NamedObject {
  parts: string[];
  found: CatalogTable | null;
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

export function namedObjects(names: readonly ObjectName[], path: SearchPath, snapshot: CatalogSnapshot): NamedObject[] {
  return names.map((name) => {
    const parts = partsOf(name);
    return { parts, found: resolveTable(parts, path, snapshot) };
  });
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
  descend(view, 1, path, snapshot, closure);
  return closure;
}

function descend(
  view: CatalogTable,
  depth: number,
  path: SearchPath,
  snapshot: CatalogSnapshot,
  closure: ViewClosure,
): void {
  const refuse = (rule: Finding['rule'], message: string) =>
    closure.findings.push({ rule, message, bindsSuperusers: false });
  if (depth > MAX_VIEW_DEPTH) return void refuse('not-described', `views are nested over ${MAX_VIEW_DEPTH} deep`);
  if (!view.body) return void refuse('not-described', 'the body of a view could not be read');
  // A view that reads files or listings is judged by the functions of the bound plan; here by what its text calls.
  for (const found of bodyFindings(view.body, snapshot)) closure.findings.push(found);
  const viewPath = [{ catalog: view.catalog, schema: view.schema }, ...path];
  for (const { found } of namedObjects(view.body.tables, viewPath, snapshot)) {
    if (!found || found.internal) continue;
    if (found.kind === 'view') descend(found, depth + 1, path, snapshot, closure);
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
