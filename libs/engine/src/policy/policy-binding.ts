import type { PolicyBinding, PolicyBindingOutcome } from '@gadwall/rbac';
import { arrayOf, fold, isObject, type JsonObject, quoteIdentifier, quoteLiteral } from '@gadwall/rewriters';
import type { Engine, NodeConnection } from '../duckdb';

/**
 * Whether the expression of a policy binds to its table: the statement that would read it is planned, and never run. What
 * the engine says stays here, for it names other things.
 */
export async function bindPolicy(engine: Engine, policy: PolicyBinding): Promise<PolicyBindingOutcome> {
  const connection = await engine.checkOut();
  try {
    return await outcome(connection, policy);
  } finally {
    engine.checkIn(connection, true);
  }
}

async function outcome(connection: NodeConnection, policy: PolicyBinding): Promise<PolicyBindingOutcome> {
  const columns = await columnsOf(connection, policy.table);
  if (columns.length === 0) return { outcome: (await isView(connection, policy.table)) ? 'view' : 'no-table' };
  const missing = policy.columns.find((name) => !columns.some((column) => fold(column.name) === fold(name)));
  if (missing !== undefined) return { outcome: 'no-column', column: missing };
  if (policy.expression === null) return { outcome: 'bound' };
  const masked = columns.find(({ name }) => policy.masked !== null && fold(name) === fold(policy.masked));
  const value = masked ? `TRY_CAST(${policy.expression} AS ${masked.type})` : policy.expression;
  const from = `${placeOf(policy)} AS ${quoteIdentifier(policy.relation)}`;
  const type = await typeOf(connection, value, from);
  if (type === null) return { outcome: 'unbound' };
  return { outcome: masked || type === 'BOOLEAN' ? 'bound' : 'not-boolean' };
}

function placeOf({ table: { catalog, schema, name } }: PolicyBinding): string {
  return [catalog, schema, name].map(quoteIdentifier).join('.');
}

/** The columns of a table with their types as the engine writes them; none of a view. */
async function columnsOf(
  connection: NodeConnection,
  table: PolicyBinding['table'],
): Promise<{ name: string; type: string }[]> {
  const rows = await connection.rows(
    `SELECT c.database_name, c.schema_name, c.table_name, c.column_name, c.data_type FROM duckdb_columns() c
     JOIN duckdb_tables() t USING (database_name, schema_name, table_name)
     WHERE NOT t.temporary AND ${isNamed(table, 'table_name')} ORDER BY c.column_index`,
  );
  return rows
    .filter((row) => isTable(row, table, 'table_name'))
    .map((row) => ({ name: String(row.column_name), type: String(row.data_type) }));
}

async function isView(connection: NodeConnection, table: PolicyBinding['table']): Promise<boolean> {
  const rows = await connection.rows(
    `SELECT database_name, schema_name, view_name FROM duckdb_views()
     WHERE NOT temporary AND ${isNamed(table, 'view_name')}`,
  );
  return rows.some((row) => isTable(row, table, 'view_name'));
}

/** All that it could be; the engine folds more than names are folded by. */
function isNamed({ catalog, schema, name }: PolicyBinding['table'], column: string): string {
  const is = (what: string, text: string): string => `lower(${what}) = lower(${quoteLiteral(text)})`;
  return [is('database_name', catalog), is('schema_name', schema), is(column, name)].join(' AND ');
}

function isTable(
  row: Record<string, unknown>,
  { catalog, schema, name }: PolicyBinding['table'],
  column: string,
): boolean {
  const same = (what: string, text: string): boolean => fold(String(row[what])) === fold(text);
  return same('database_name', catalog) && same('schema_name', schema) && same(column, name);
}

/** The type of an expression over a table; null when it does not bind. A plan tells it of a function: of a list of it. */
async function typeOf(connection: NodeConnection, value: string, from: string): Promise<string | null> {
  const text = await connection.plan(`SELECT "system".main.list_value(${value}) FROM ${from}`);
  if (text === null) return null;
  const { plans } = JSON.parse(text) as JsonObject;
  const [top] = arrayOf(plans);
  const [expression] = isObject(top) ? arrayOf(top.expressions) : [];
  const list = isObject(expression) && isObject(expression.return_type) ? expression.return_type.type_info : null;
  const type = isObject(list) && isObject(list.child_type) ? list.child_type.id : null;
  return typeof type === 'string' ? type : null;
}
