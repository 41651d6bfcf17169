import {
  CatalogSnapshot,
  CatalogTable,
  fold,
  lex,
  MacroOverload,
  ObjectName,
  QueryNames,
  quoteIdentifier,
  render,
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
  const rowsOf = new Map<string, Record<string, unknown>[]>();
  for (const row of await connection.rows(MACROS)) {
    const key = tableKey(nameOf(row));
    rowsOf.set(key, [...(rowsOf.get(key) ?? []), row]);
  }
  const macros = new Map<string, UserMacro[]>();
  for (const rows of rowsOf.values()) {
    const macro = await macroOf(rows, connection);
    macros.set(fold(macro.name), [...(macros.get(fold(macro.name)) ?? []), macro]);
  }
  return macros;
}

function nameOf(row: Record<string, unknown>): ObjectName {
  return { catalog: String(row.database_name), schema: String(row.schema_name), name: String(row.name) };
}

async function macroOf(rows: Record<string, unknown>[], connection: NodeConnection): Promise<UserMacro> {
  const name = nameOf(rows[0] ?? {});
  const overloads: MacroOverload[] = [];
  for (const row of rows) overloads.push(await overloadOf(row, connection));
  const most = Math.max(...overloads.map(({ parameters }) => parameters.length));
  let defaults = false;
  for (const type of new Set(rows.map((row) => row.function_type))) {
    defaults ||= most > 0 && (await mayHaveDefaults(name, type === 'table_macro', most, connection));
  }
  return { ...name, overloads, defaults };
}

/** Nothing lists the defaults of parameters but the engine's answer to a call with one argument too many. */
async function mayHaveDefaults(
  { catalog, schema, name }: ObjectName,
  isTable: boolean,
  most: number,
  connection: NodeConnection,
): Promise<boolean> {
  const nulls = Array.from({ length: most + 1 }, () => 'NULL').join(', ');
  const call = `${[catalog, schema, name].map(quoteIdentifier).join('.')}(${nulls})`;
  const plan = await connection.plan(isTable ? `SELECT * FROM ${call}` : `SELECT ${call}`);
  const read = plan === null ? null : READERS.plan(plan, null);
  const message = read && 'error' in read ? read.error.message : '';
  return !message.includes('Candidate macros:') || message.includes(':=');
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
  const query = kind === 'view' && row.internal !== true ? viewQuery(tokens) : null;
  return {
    catalog: String(row.database_name),
    schema: String(row.schema_name),
    name: String(row.name),
    kind,
    temporary: row.temporary === true,
    internal: row.internal === true,
    calls: tokens.filter((token, i) => tokens[i + 1]?.text === '(' && isName(token)).map((token) => token.value),
    body: query && (await namesIn(render(query.tokens), connection)),
    query,
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

/** The query of `CREATE VIEW v [(columns)] AS query`, as the catalog keeps it; null when it cannot be told. */
function viewQuery(tokens: readonly Token[]): CatalogTable['query'] {
  let depth = 0;
  const as = tokens.findIndex((token) => {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    return depth === 0 && token.type === 'word' && token.value === 'as';
  });
  if (as < 0) return null;
  const open = tokens.findIndex((token) => token.text === '(');
  const columns = open < 0 || open > as ? [] : tokens.slice(open + 1, as - 1).filter(isName);
  const query = tokens.slice(as + 1);
  const end = query[query.length - 1]?.text === ';' ? -1 : query.length;
  return {
    tokens: query.slice(0, end),
    columns: columns.map((token) => (token.type === 'word' ? token.text : token.value)),
  };
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
