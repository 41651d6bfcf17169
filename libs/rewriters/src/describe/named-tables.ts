import { CatalogSnapshot, CatalogTable, possible, qualify, resolveTable, resolveType, SearchPath } from '../catalog';
import { Access, ObjectAccess, ObjectKind, ObjectName } from '../description';
import { WrittenObject } from '../screen';

/** What a secure view stands for, as the policy has it. */
export interface SecuredView extends ObjectName {
  /** Its query, as the engine's catalog keeps it. */
  body: string;
  /** The names of its columns, in order. */
  columns: readonly string[];
  bases: readonly SecuredBase[];
}

/** What the body of a secure view reads: a base table, or another secure view. */
export interface SecuredBase extends ObjectName {
  kind: 'table' | 'view';
}

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
  /** Keys (`tableKey`) of the macros that the principal may call. */
  admitted: ReadonlySet<string>;
  /** The secure views that the principal reads with their owners' rights, by `tableKey`; none of a superuser's. */
  secured: ReadonlyMap<string, SecuredView>;
  /** What it is about the session that it may read none of them: `holds a temporary view`; null: nothing. */
  withheld: string | null;
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

/** The parts of a name that were written. */
export function partsOf(name: ObjectName): string[] {
  return [name.catalog, name.schema, name.name].filter((part) => part !== '');
}

/** What one name in the text means. Nothing here tells a hidden object from a missing one but `found` and `missing`. */
export function namedObject(
  { parts, kind, access, certain }: Omit<WrittenObject, 'string' | 'at'>,
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
