import { fold } from '../lexer';
import { arrayOf, isObject, Json, JsonObject, stringOf } from './json';

/** A table as a statement writes it; parts that were not written are empty. */
export interface WrittenName {
  catalog: string;
  schema: string;
  name: string;
}

export interface WrittenTable extends WrittenName {
  /** Where it stands in the text, bytes; absent where the tree does not say. */
  at?: number;
  /** It is given another name. */
  alias: boolean;
}

export interface WrittenFunction extends WrittenName {
  position: 'scalar' | 'table';
  /** How many it is given. */
  arguments: number;
  /** Of a table function: where it stands in the text, bytes; absent where the tree does not say. */
  at?: number;
  /** Of a table function: it is given another name. */
  alias?: boolean;
}

/** What the syntax tree of one query names, before anything is bound. */
export interface QueryNames {
  tables: WrittenTable[];
  functions: WrittenFunction[];
  /** Types that are not the engine's own words. */
  types: WrittenName[];
  /** Texts of `query('…')`, names of `query_table('…')`. */
  queries: string[];
  queryTables: string[];
  /** What the tree holds that is not understood, or not admitted inside a query. */
  unsupported: string[];
  /** A table read AT an earlier version. */
  timeTravel: boolean;
}

const EXPRESSION_CLASSES = new Set(
  `BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT DEFAULT FUNCTION LAMBDA LAMBDA_REF OPERATOR
  PARAMETER POSITIONAL_REFERENCE STAR SUBQUERY WINDOW TYPE`.split(/\s+/),
);
const TABLE_REFERENCES = new Set(
  'BASE_TABLE SUBQUERY JOIN TABLE_FUNCTION EXPRESSION_LIST EMPTY PIVOT SHOW_REF'.split(' '),
);
const QUERY_NODES = new Set('SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE CTE_NODE'.split(' '));
const QUERY_NODE_NAME = /_NODE$/;

/**
 * Walks the tree that `json_serialize_sql` gives for one SELECT-shaped statement. Allow lists: an expression class, a
 * table reference or a query node that is not known lands in `unsupported`.
 */
export function queryNames(statement: Json): QueryNames {
  const names: QueryNames = {
    tables: [],
    functions: [],
    types: [],
    queries: [],
    queryTables: [],
    unsupported: [],
    timeTravel: false,
  };
  walk(statement, new Set(), names, 'node');
  return names;
}

type Scope = ReadonlySet<string>;

function walk(value: Json | undefined, scope: Scope, names: QueryNames, key: string): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) walk(element, scope, names, key);
    return;
  }
  const type = stringOf(value.type);
  if (typeof value.class === 'string') visitExpression(value, names);
  else if (QUERY_NODE_NAME.test(type)) return walkQuery(value, type, scope, names);
  else if (
    key === 'from_table' ||
    key === 'left' ||
    key === 'right' ||
    key === 'source' ||
    TABLE_REFERENCES.has(type)
  ) {
    if (type !== '' && visitTable(value, type, scope, names)) return;
  } else if (type === 'UNBOUND_TYPE_INFO') {
    names.types.push({ catalog: stringOf(value.catalog), schema: stringOf(value.schema), name: stringOf(value.name) });
  }
  for (const childKey in value) {
    const child = value[childKey];
    if (typeof child === 'object' && child !== null) walk(child, scope, names, childKey);
  }
}

/** The part of a query that means the common table expression by its name; in the other one a table is meant. */
const SEES_ITSELF: Readonly<Record<string, string>> = { RECURSIVE_CTE_NODE: 'right', CTE_NODE: 'child' };

/** Each common table expression sees those before it; the body sees all. */
function walkQuery(node: JsonObject, type: string, outer: Scope, names: QueryNames): void {
  if (!QUERY_NODES.has(type)) names.unsupported.push(type);
  const scope = new Set(outer);
  const cteMap = isObject(node.cte_map) ? arrayOf(node.cte_map.map) : [];
  for (const entry of cteMap) {
    if (!isObject(entry)) continue;
    walk(entry.value, scope, names, 'cte');
    scope.add(fold(stringOf(entry.key)));
  }
  const own = new Set([...scope, fold(stringOf(node.cte_name))]);
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'cte_map') walk(child, key === SEES_ITSELF[type] ? own : scope, names, key);
  }
}

function visitExpression(value: JsonObject, names: QueryNames): void {
  const kind = stringOf(value.class);
  if (!EXPRESSION_CLASSES.has(kind)) names.unsupported.push(kind);
  if (kind === 'FUNCTION' || kind === 'WINDOW') {
    const name = stringOf(value.function_name);
    const given = arrayOf(value.children).length;
    if (name !== '') names.functions.push({ ...qualifier(value), name, position: 'scalar', arguments: given });
  } else if (kind === 'COLUMN_REF') {
    const [word, ...more] = arrayOf(value.column_names).map(stringOf);
    const name = more.length === 0 ? valueFunction(fold(word ?? '')) : undefined;
    if (name) names.functions.push({ catalog: '', schema: '', name, position: 'scalar', arguments: 0 });
  }
}

const VALUE_FUNCTIONS: Readonly<Record<string, string>> = {
  current_time: 'get_current_time',
  current_timestamp: 'get_current_timestamp',
  localtime: 'current_localtime',
  localtimestamp: 'current_localtimestamp',
  ...Object.fromEntries(
    'current_catalog current_date current_schema current_role current_user session_user user'
      .split(' ')
      .map((name) => [name, name]),
  ),
};

/** The function that a word stands for where there is no column of its name: `current_user`, without brackets. */
export function valueFunction(word: string): string | undefined {
  return Object.hasOwn(VALUE_FUNCTIONS, word) ? VALUE_FUNCTIONS[word] : undefined;
}

function qualifier(value: JsonObject): { catalog: string; schema: string } {
  return { catalog: stringOf(value.catalog), schema: stringOf(value.schema) };
}

/** True when the children were walked here. */
function visitTable(value: JsonObject, type: string, scope: Scope, names: QueryNames): boolean {
  switch (type) {
    case 'BASE_TABLE': {
      const written = {
        catalog: stringOf(value.catalog_name),
        schema: stringOf(value.schema_name),
        name: stringOf(value.table_name),
        alias: stringOf(value.alias) !== '',
      };
      const bare = written.catalog === '' && written.schema === '';
      const at = value.query_location;
      if (!(bare && scope.has(fold(written.name)))) {
        names.tables.push(typeof at === 'number' ? { ...written, at } : written);
      }
      if (isObject(value.at_clause)) names.timeTravel = true;
      return false;
    }
    case 'TABLE_FUNCTION':
      visitTableFunction(value, scope, names);
      return true;
    case 'SHOW_REF':
      names.unsupported.push(`SHOW or DESCRIBE inside a query`);
      return false;
    default:
      if (!TABLE_REFERENCES.has(type)) names.unsupported.push(type);
      return false;
  }
}

function visitTableFunction(value: JsonObject, scope: Scope, names: QueryNames): void {
  const call = isObject(value.function) ? value.function : {};
  const name = stringOf(call.function_name);
  const given = arrayOf(call.children).length;
  const at = call.query_location;
  const alias = stringOf(value.alias) !== '';
  const place = typeof at === 'number' ? { at, alias } : { alias };
  names.functions.push({ ...qualifier(call), name, position: 'table', arguments: given, ...place });
  const folded = fold(name);
  if (folded === 'query' || folded === 'query_table') {
    const texts = arrayOf(call.children).map(literal);
    const [text] = texts;
    if (texts.length !== 1 || text === null || text === undefined)
      names.unsupported.push(`${folded}() of a computed text`);
    else (folded === 'query' ? names.queries : names.queryTables).push(text);
  }
  for (const [key, child] of Object.entries(call)) walk(child, scope, names, key);
  for (const [key, child] of Object.entries(value)) if (key !== 'function') walk(child, scope, names, key);
}

function literal(value: Json): string | null {
  if (!isObject(value) || value.class !== 'CONSTANT' || !isObject(value.value)) return null;
  return typeof value.value.value === 'string' ? value.value.value : null;
}
