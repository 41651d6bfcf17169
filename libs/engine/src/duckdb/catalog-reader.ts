import {
  CatalogSnapshot,
  CatalogTable,
  fold,
  lex,
  MacroOverload,
  QueryNames,
  SearchPath,
  tableKey,
  Token,
  UserMacro,
} from '@gadwall/rewriters';
import { NodeConnection } from './node-connection';
import { READERS } from './readings';

const TABLES = `SELECT database_name, schema_name, table_name AS name, 'table' AS kind, temporary, internal, sql
    FROM duckdb_tables()
  UNION ALL
  SELECT database_name, schema_name, view_name, 'view', temporary, internal, CASE WHEN internal THEN NULL ELSE sql END
    FROM duckdb_views()`;
const MACROS = `SELECT database_name, schema_name, function_name AS name, function_type, parameters, macro_definition
  FROM duckdb_functions() WHERE database_name <> 'system'`;
const TYPES = `SELECT database_name, schema_name, type_name AS name FROM duckdb_types() WHERE NOT internal AND database_name <> 'system'`;

/**
 * What names mean to this connection now. Read inside the statement's own transaction, so that it is of the snapshot in
 * which the statement is described and run (DESIGN invariant 2).
 */
export async function readCatalog(connection: NodeConnection): Promise<CatalogSnapshot> {
  const macros = await readMacros(connection);
  const tables = new Map<string, CatalogTable>();
  for (const row of await connection.rows(TABLES)) {
    const table = await catalogTable(row, connection);
    tables.set(tableKey(table), table);
  }
  const types = (await connection.rows(TYPES)).map((row) => ({
    catalog: String(row.database_name),
    schema: String(row.schema_name),
    name: String(row.name),
  }));
  return { tables, macros, types };
}

async function readMacros(connection: NodeConnection): Promise<Map<string, UserMacro[]>> {
  const macros = new Map<string, Map<string, UserMacro & { overloads: MacroOverload[] }>>();
  for (const row of await connection.rows(MACROS)) {
    const name = { catalog: String(row.database_name), schema: String(row.schema_name), name: String(row.name) };
    const ofName = macros.get(fold(name.name)) ?? new Map<string, UserMacro & { overloads: MacroOverload[] }>();
    const macro = ofName.get(tableKey(name)) ?? { ...name, overloads: [] };
    macro.overloads.push(await overloadOf(row, connection));
    macros.set(fold(name.name), ofName.set(tableKey(name), macro));
  }
  return new Map([...macros].map(([name, ofName]) => [name, [...ofName.values()]]));
}

/** One that the engine shows no body of, or that is no macro, has none: nobody but a superuser calls it. */
async function overloadOf(row: Record<string, unknown>, connection: NodeConnection): Promise<MacroOverload> {
  const definition = typeof row.macro_definition === 'string' ? row.macro_definition : '';
  const parameters = Array.isArray(row.parameters) ? row.parameters.map(String) : [];
  const tokens = tokensOf(definition);
  const text = row.function_type === 'macro' ? `SELECT ${definition}` : definition;
  return { parameters, tokens, body: tokens.length > 0 ? await namesIn(text, connection) : null };
}

async function catalogTable(row: Record<string, unknown>, connection: NodeConnection): Promise<CatalogTable> {
  const kind = row.kind === 'view' ? 'view' : 'table';
  const sql = typeof row.sql === 'string' ? row.sql : '';
  const tokens = tokensOf(sql);
  return {
    catalog: String(row.database_name),
    schema: String(row.schema_name),
    name: String(row.name),
    kind,
    temporary: row.temporary === true,
    internal: row.internal === true,
    calls: tokens.filter((token, i) => tokens[i + 1]?.text === '(' && isName(token)).map((token) => token.value),
    body: kind === 'view' && row.internal !== true ? await viewBody(tokens, connection) : null,
  };
}

function isName(token: Token): boolean {
  return token.type === 'word' || token.type === 'quoted';
}

function tokensOf(sql: string): Token[] {
  try {
    return lex(sql);
  } catch {
    return [];
  }
}

/** The names in the query of `CREATE VIEW … AS query`, as the catalog keeps it; null when it cannot be told. */
async function viewBody(tokens: readonly Token[], connection: NodeConnection): Promise<QueryNames | null> {
  let depth = 0;
  const as = tokens.findIndex((token) => {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    return depth === 0 && token.type === 'word' && token.value === 'as';
  });
  if (as < 0) return null;
  const text = tokens
    .slice(as + 1)
    .filter((token, i, all) => !(token.text === ';' && i === all.length - 1))
    .map((token) => token.text)
    .join(' ');
  return namesIn(text, connection);
}

async function namesIn(text: string, connection: NodeConnection): Promise<QueryNames | null> {
  const tree = await connection.parse(text);
  const read = tree === null ? null : READERS.tree(tree);
  return read && 'names' in read ? read.names : null;
}

/** The session's search path, as the engine resolved it; entry 0 is where unqualified names are made. */
export async function readSearchPath(connection: NodeConnection): Promise<SearchPath> {
  const [row] = await connection.rows(
    `SELECT current_setting('search_path') AS path, current_database() AS catalog, current_schema() AS schema`,
  );
  const entries = typeof row?.path === 'string' ? pathEntries(row.path) : [];
  return entries.length > 0 ? entries : [{ catalog: String(row?.catalog), schema: String(row?.schema) }];
}

function pathEntries(path: string): { catalog: string; schema: string }[] {
  const entries: string[][] = [[]];
  for (const token of tokensOf(path)) {
    if (token.text === ',') entries.push([]);
    else if (token.text !== '.') entries[entries.length - 1]?.push(token.type === 'word' ? token.text : token.value);
  }
  return entries.flatMap(([catalog, schema]) => (catalog && schema ? [{ catalog, schema }] : []));
}
