import { ObjectName } from '../description';
import { QueryNames } from '../ast';
import { fold, Token } from '../lexer';

/** A table or view as the catalog has it; `calls` are the names before "(" in its definition. */
export interface CatalogTable extends ObjectName {
  kind: 'table' | 'view';
  /** In the session's own temp catalog. */
  temporary: boolean;
  /** Belongs to the engine (pg_catalog, information_schema, …). */
  internal: boolean;
  calls: string[];
  /** What the body of a view names; null when it could not be parsed. */
  body: QueryNames | null;
  /** The query of a view and the names that it gives its columns (none: the query's own); null where it cannot be told. */
  query: { tokens: readonly Token[]; columns: readonly string[] } | null;
}

/** A macro that a user made, by all its overloads. */
export interface UserMacro extends ObjectName {
  /** A parameter may have a default: the catalog does not show what it calls. */
  defaults: boolean;
  overloads: readonly MacroOverload[];
}

/** What one overload of a macro stands for, as the catalog keeps it. */
export interface MacroOverload {
  parameters: readonly string[];
  tokens: readonly Token[];
  /** What the body names; null when it could not be parsed. */
  body: QueryNames | null;
}

/** The names that a session can see at one catalog epoch. */
export interface CatalogSnapshot {
  tables: ReadonlyMap<string, CatalogTable>;
  /** Macros that users made, in any catalog, by folded name. */
  macros: ReadonlyMap<string, readonly UserMacro[]>;
  /** Types that users made. */
  types: readonly ObjectName[];
}

/** Where an unqualified name is looked up: the search path, first entry first. Entry 0 gives the defaults. */
export type SearchPath = readonly { catalog: string; schema: string }[];

/** Whether an object is in the session's own temp catalog. */
export function isTemporary({ catalog }: ObjectName): boolean {
  return fold(catalog) === 'temp';
}

/** Separates the parts of a key; no name can hold it, for NUL is refused by the lexer. */
const SEPARATOR = '\0';

export function tableKey(name: ObjectName): string {
  return fold(name.catalog) + SEPARATOR + fold(name.schema) + SEPARATOR + fold(name.name);
}

/**
 * The object that a name of one to three parts means, as DuckDB's binder looks it up: temporary objects first, then the
 * search path, then the engine's own schemas. Two parts are schema.table in a catalog of the path, or catalog.table.
 * null: there is no such object, as far as this session can see.
 */
export function resolveTable(
  parts: readonly string[],
  path: SearchPath,
  snapshot: CatalogSnapshot,
): CatalogTable | null {
  for (const name of candidates(parts, path)) {
    const found = snapshot.tables.get(tableKey(name));
    if (found) return found;
  }
  return null;
}

/** The type of a user that a name means; null when there is none, as far as this session can see. */
export function resolveType(parts: readonly string[], path: SearchPath, snapshot: CatalogSnapshot): ObjectName | null {
  for (const name of candidates(parts, path)) {
    const found = snapshot.types.find((type) => tableKey(type) === tableKey(name));
    if (found) return found;
  }
  return null;
}

function candidates(parts: readonly string[], path: SearchPath): ObjectName[] {
  const [a = '', b = '', c = ''] = parts;
  switch (parts.length) {
    case 1:
      return [
        { catalog: 'temp', schema: 'main', name: a },
        ...path.map((entry) => ({ ...entry, name: a })),
        { catalog: 'system', schema: 'main', name: a },
        { catalog: 'system', schema: 'pg_catalog', name: a },
      ];
    case 2:
      return [
        ...path.map(({ catalog }) => ({ catalog, schema: a, name: b })),
        { catalog: 'temp', schema: a, name: b },
        { catalog: a, schema: 'main', name: b },
        { catalog: 'system', schema: a, name: b },
      ];
    case 3:
      // information_schema and pg_catalog answer under every catalog's name.
      return [
        { catalog: a, schema: b, name: c },
        { catalog: 'system', schema: b, name: c },
      ];
    default:
      return [];
  }
}

/** Names of catalogs that every session has, whatever the pool declares. */
const ALWAYS_THERE = ['temp', 'system'];

/**
 * How a name is qualified in a refusal to one whom no grant tells that it exists: by the session's defaults, whatever it
 * means (DESIGN invariant 15). Of catalogs only those count that the pool declares.
 */
export function qualify(parts: readonly string[], path: SearchPath, declared: ReadonlySet<string>): ObjectName {
  const defaults = path[0] ?? { catalog: '', schema: 'main' };
  const [a = '', b = '', ...rest] = parts;
  if (parts.length === 1) return { ...defaults, name: a };
  if (parts.length > 2) return { catalog: a, schema: b, name: rest.join('.') };
  const isCatalog = declared.has(fold(a)) || ALWAYS_THERE.includes(fold(a));
  return isCatalog ? { catalog: a, schema: 'main', name: b } : { catalog: defaults.catalog, schema: a, name: b };
}

/**
 * What a name that means nothing could mean: one that stands alone, an object in any schema of the search path. All of
 * them must be granted before the engine may say that there is none.
 */
export function possible(parts: readonly string[], path: SearchPath, declared: ReadonlySet<string>): ObjectName[] {
  if (parts.length !== 1 || path.length === 0) return [qualify(parts, path, declared)];
  return path.map((entry) => ({ ...entry, name: parts[0] as string }));
}
