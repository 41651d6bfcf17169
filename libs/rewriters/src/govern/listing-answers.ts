import { ObjectName } from '../description';
import { quoteIdentifier, quoteLiteral } from '../lexer';
import { ListingRequest } from '../screen';

/**
 * The query whose rows answer a question about the catalog, in the columns that the engine gives. It is a statement like any
 * other: its listings are narrowed to what is granted. Source: seed 000, "Catalog listings": of keys and defaults nothing is
 * told.
 *
 * @param object what the question is about; null for a list of all
 * @param here the catalog and schema in which names are made
 */
export function listingAnswer(
  { what }: ListingRequest,
  object: ObjectName | null,
  here: { catalog: string; schema: string },
): string {
  switch (what) {
    case 'tables':
      return `SELECT table_name AS "name" FROM information_schema.tables WHERE table_catalog = ${quoteLiteral(here.catalog)}
        AND table_schema = ${quoteLiteral(here.schema)} OR table_catalog = 'temp' ORDER BY 1`;
    case 'all-tables':
      return `SELECT c.database_name AS "database", c.schema_name AS "schema", c.table_name AS "name",
        list(c.column_name ORDER BY c.column_index) AS column_names, list(c.data_type ORDER BY c.column_index) AS column_types,
        c.database_name = 'temp' AS "temporary" FROM duckdb_columns() c WHERE NOT c.internal
        GROUP BY ALL ORDER BY 1, 2, 3`;
    case 'describe':
      return `SELECT column_name, data_type AS column_type, CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS "null",
        NULL::VARCHAR AS "key", column_default AS "default", NULL::VARCHAR AS "extra" ${columnsOf(object)}`;
    case 'table-info':
      return `SELECT (row_number() OVER (ORDER BY column_index) - 1)::INTEGER AS cid, column_name AS "name",
        data_type AS "type", NOT is_nullable AS "notnull", column_default AS dflt_value, NULL::BOOLEAN AS pk
        ${columnsOf(object)}`;
    case 'summarize':
      return `SELECT * FROM ${object ? [object.catalog, object.schema, object.name].map(quoteIdentifier).join('.') : ''}`;
  }
}

function columnsOf(object: ObjectName | null): string {
  const { catalog, schema, name } = object ?? { catalog: '', schema: '', name: '' };
  return `FROM duckdb_columns() WHERE database_name = ${quoteLiteral(catalog)} AND schema_name = ${quoteLiteral(schema)}
    AND table_name = ${quoteLiteral(name)} ORDER BY column_index`;
}
