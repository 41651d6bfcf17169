import { fold, quoteIdentifier, quoteLiteral } from '../lexer';
import { Marks } from './protected-table';

/** Names of a listing that a grant or a deny is about; null: any. Names are folded. */
export interface ListedNames {
  catalog: string | null;
  schema: string | null;
  table: string | null;
}

/** What a principal may see in listings: for each class of access what is granted, and what of that is denied. */
export interface Listed {
  /** Catalogs of which everything is listed, folded. */
  whole: readonly string[];
  classes: readonly { allow: readonly ListedNames[]; deny: readonly ListedNames[] }[];
}

interface Listing {
  /** How it is written in FROM. */
  source: string;
  catalog: string;
  schema: string;
  /** The column of an object's name; null: it lists schemas. */
  table: string | null;
  /** Columns that tell of objects that may be hidden, or of rows: their types. */
  hidden: Readonly<Record<string, string>>;
}

const ENGINE = { catalog: 'database_name', schema: 'schema_name' };
const STANDARD = { catalog: 'table_catalog', schema: 'table_schema', table: 'table_name' };
const OIDS = { database_oid: 'BIGINT', schema_oid: 'BIGINT' };

/** The listings that are answered, by their folded name. Source: seed 000, "Catalog listings". */
const LISTINGS: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  [
    'duckdb_schemas',
    {
      ...ENGINE,
      source: 'duckdb_schemas()',
      table: null,
      hidden: { oid: 'BIGINT', database_oid: 'BIGINT', sql: 'VARCHAR' },
    },
  ],
  [
    'duckdb_tables',
    {
      ...ENGINE,
      source: 'duckdb_tables()',
      table: 'table_name',
      hidden: { ...OIDS, table_oid: 'BIGINT', estimated_size: 'BIGINT', sql: 'VARCHAR' },
    },
  ],
  [
    'duckdb_views',
    {
      ...ENGINE,
      source: 'duckdb_views()',
      table: 'view_name',
      hidden: { ...OIDS, view_oid: 'BIGINT', sql: 'VARCHAR' },
    },
  ],
  [
    'duckdb_columns',
    {
      ...ENGINE,
      source: 'duckdb_columns()',
      table: 'table_name',
      hidden: { ...OIDS, table_oid: 'BIGINT', column_default: 'VARCHAR' },
    },
  ],
  [
    'schemata',
    {
      source: 'system.information_schema.schemata',
      catalog: 'catalog_name',
      schema: 'schema_name',
      table: null,
      hidden: { sql_path: 'VARCHAR' },
    },
  ],
  ['tables', { ...STANDARD, source: 'system.information_schema.tables', hidden: {} }],
  [
    'columns',
    {
      ...STANDARD,
      source: 'system.information_schema.columns',
      hidden: { column_default: 'VARCHAR', generation_expression: 'VARCHAR' },
    },
  ],
  ['views', { ...STANDARD, source: 'system.information_schema.views', hidden: { view_definition: 'VARCHAR' } }],
]);

/** Table functions of the engine that list objects, and are answered by what is granted. */
const FUNCTIONS: ReadonlySet<string> = new Set(['duckdb_schemas', 'duckdb_tables', 'duckdb_views', 'duckdb_columns']);

export function isListingFunction(name: string): boolean {
  return FUNCTIONS.has(fold(name));
}

/** The listing that a name in table position means as it is written: `information_schema.tables` in two parts, no other way. */
export function listingNamed(parts: readonly string[]): string | null {
  const [schema = '', name = ''] = parts.map(fold);
  const known = parts.length === 2 && schema === 'information_schema' && !FUNCTIONS.has(name) && LISTINGS.has(name);
  return known ? name : null;
}

/** Names of all listings that are answered. */
export const ANSWERED_LISTINGS: readonly string[] = [...LISTINGS.keys()];

/**
 * The relation that stands in the place of a listing: what is granted, and nothing that tells of what is not. Nothing that is
 * asked of it is asked of what it hides.
 *
 * @param name one of `ANSWERED_LISTINGS`
 */
export function listingRelation(name: string, listed: Listed, marks: Marks): string {
  const listing = LISTINGS.get(name) as Listing;
  const hidden = Object.entries(listing.hidden).map(
    ([column, type]) =>
      `CASE WHEN ${marks.mask} IS NOT NULL THEN CAST(NULL AS ${type}) END AS ${quoteIdentifier(column)}`,
  );
  const columns = hidden.length > 0 ? `* REPLACE (${hidden.join(', ')})` : '*';
  return `(SELECT ${columns} FROM ${listing.source} WHERE ${marks.row} IS NOT NULL AND (${visible(listing, listed)}) OFFSET 0)`;
}

function visible(listing: Listing, { whole, classes }: Listed): string {
  const own = listing.table === null ? [] : [`${lower(listing.catalog)} = 'temp'`];
  const everything = whole.map((catalog) => `${lower(listing.catalog)} = ${quoteLiteral(catalog)}`);
  const granted = classes.flatMap(({ allow, deny }) => {
    if (allow.length === 0) return [];
    const allowed = anyOf(listing, allow);
    // A schema is there for whoever is granted anything in it.
    return [deny.length === 0 || listing.table === null ? allowed : `(${allowed} AND NOT ${anyOf(listing, deny)})`];
  });
  const all = [...own, ...everything, ...granted];
  return all.length === 0 ? 'false' : all.join(' OR ');
}

function anyOf(listing: Listing, names: readonly ListedNames[]): string {
  return `(${names.map((one) => matches(listing, one)).join(' OR ')})`;
}

function matches(listing: Listing, { catalog, schema, table }: ListedNames): string {
  const parts: [string | null, string | null][] = [
    [listing.catalog, catalog],
    [listing.schema, schema],
    [listing.table, table],
  ];
  const conditions = parts.flatMap(([column, value]) =>
    column === null || value === null ? [] : [`${lower(column)} = ${quoteLiteral(value)}`],
  );
  return conditions.length === 0 ? 'true' : `(${conditions.join(' AND ')})`;
}

function lower(column: string): string {
  return `system.main.lower(${quoteIdentifier(column)})`;
}
