import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { isDescribableExpression, isDescribableOperator } from '../classification';
import { Access, ObjectKind, ObjectName } from '../description';
import { noteAllSteps, noteTextCost, TextCosts } from './bounded-texts';
import { storedColumns } from './stored-columns';

/** One object that the bound plan touches. */
export interface PlanAccess extends ObjectName {
  kind: ObjectKind;
  access: Access;
  columns: string[];
  /** By a default of the table that is written to. */
  inDefault?: true;
}

export interface PlanFunction {
  name: string;
  position: 'scalar' | 'table';
  /** Not an entry of the engine's own catalog: what it does is unknown. */
  foreign: boolean;
  /** In a default of the table that is written to. */
  inDefault?: true;
  /** Not bound: by this name the engine looks it up later, and it may be a macro. */
  parsed?: true;
}

/** Everything that one bound, unoptimized plan says of what it touches. */
export interface PlanAccesses extends TextCosts {
  /** The topmost operator. */
  root: string;
  accesses: PlanAccess[];
  functions: PlanFunction[];
  /** Settings changed, with their scope as the engine names it (VARIABLE for session variables). */
  settings: { name: string; scope: string }[];
  /** Operators, expressions and table sources that are not understood: the statement is refused to everybody. */
  undescribed: string[];
}

/**
 * Reads the plan that `json_serialize_plan(sql, optimize := false)` gave. Allow lists throughout: an operator or an
 * expression that is not known is reported, never passed over.
 */
export function planAccesses(plan: JsonObject): PlanAccesses {
  const result: PlanAccesses = {
    root: stringOf(plan.type),
    accesses: [],
    functions: [],
    settings: [],
    undescribed: [],
    unbounded: [],
    steps: [],
  };
  walk(plan, result);
  noteAllSteps(result);
  return result;
}

function walk(value: Json | undefined, result: PlanAccesses): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) walk(element, result);
    return;
  }
  const type = stringOf(value.type);
  if (type.startsWith('LOGICAL_')) {
    visitOperator(type, value, result);
    // The body of a view is described as the query that it is; that of a macro at every use.
    if (type === 'LOGICAL_CREATE_VIEW' || type === 'LOGICAL_CREATE_MACRO') return;
  } else if (typeof value.expression_class === 'string') {
    visitExpression(value, result);
    if (value.expression_class === 'BOUND_CONSTANT' || value.expression_class === 'BOUND_REF') return;
  } else if (value.class === 'FUNCTION') visitParsedFunction(value, result);
  else if (value.class === 'SUBQUERY') result.undescribed.push('a subquery in a definition');
  for (const key in value) {
    const child = value[key];
    if (typeof child !== 'object' || child === null || SKIPPED.has(key)) continue;
    if (DEFAULTS.has(key)) walkDefaults(child, result);
    else walk(child, result);
  }
}

/** Where the table that is written to says what its columns hold by default. */
const DEFAULTS = new Set(['bound_defaults', 'table_info']);

function walkDefaults(value: Json, result: PlanAccesses): void {
  const own: PlanAccesses = { ...result, accesses: [], functions: [] };
  walk(value, own);
  for (const access of own.accesses) result.accesses.push({ ...access, inDefault: true });
  for (const called of own.functions) result.functions.push({ ...called, inDefault: true });
}

/** Types, names, statistics and texts hold no operator and no expression. */
const SKIPPED = new Set(
  `returned_types return_type expected_types expected_set_types chunk_types expr_types types scan_types set_types
  type_info comment tags names column_indexes extra_info arguments original_arguments`.split(/\s+/),
);

function visitOperator(type: string, operator: JsonObject, result: PlanAccesses): void {
  if (!isDescribableOperator(type)) {
    result.undescribed.push(type);
    return;
  }
  switch (type) {
    case 'LOGICAL_GET':
      return visitGet(operator, result);
    case 'LOGICAL_INSERT':
      return visitWrite(operator, 'insert', result);
    case 'LOGICAL_UPDATE':
      return visitWrite(operator, 'update', result);
    case 'LOGICAL_DELETE':
      return visitWrite(operator, 'delete', result);
    case 'LOGICAL_MERGE_INTO':
      return visitMerge(operator, result);
    case 'LOGICAL_SET':
    case 'LOGICAL_RESET':
      result.settings.push({ name: stringOf(operator.name), scope: stringOf(operator.scope) });
      return;
    case 'LOGICAL_COLUMN_DATA_GET':
    case 'LOGICAL_COPY_TO_FILE':
      return;
    default:
      if (type.startsWith('LOGICAL_CREATE_')) visitCreate(type, operator, result);
      else if (type === 'LOGICAL_DROP') visitDrop(operator, result);
      else if (type === 'LOGICAL_ALTER') visitAlter(operator, result);
  }
}

/** A column index beyond this is a virtual column: rowid is 2^64-1, which JSON.parse does not keep exactly. */
const FIRST_VIRTUAL_COLUMN = 2 ** 53;

function visitGet(get: JsonObject, result: PlanAccesses): void {
  const name = stringOf(get.name);
  if (name !== 'seq_scan') {
    const foreign = stringOf(get.catalog_name) !== 'system';
    result.functions.push({ name, position: 'table', foreign });
    return;
  }
  const data = isObject(get.function_data) ? get.function_data : {};
  const names = arrayOf(get.names).map(stringOf);
  const columns = arrayOf(get.column_indexes).map((entry) => {
    const index = isObject(entry) && typeof entry.index === 'number' ? entry.index : Number.NaN;
    return index >= FIRST_VIRTUAL_COLUMN ? 'rowid' : names[index];
  });
  const object = { catalog: stringOf(data.catalog), schema: stringOf(data.schema), name: stringOf(data.table) };
  if (Object.values(object).includes('') || columns.includes(undefined)) {
    result.undescribed.push('a scan without a name');
    return;
  }
  result.accesses.push({ ...object, kind: 'table', access: 'read', columns: columns as string[] });
}

function tableOf(operator: JsonObject): { object: ObjectName; columns: string[] } | null {
  const info = isObject(operator.table_info) ? operator.table_info : null;
  if (!info) return null;
  const object = { catalog: stringOf(info.catalog), schema: stringOf(info.schema), name: stringOf(info.table) };
  if (Object.values(object).includes('')) return null;
  const list = isObject(info.columns) ? arrayOf(info.columns.columns) : [];
  return { object, columns: list.map((column) => (isObject(column) ? stringOf(column.name) : '')) };
}

function visitWrite(operator: JsonObject, access: 'insert' | 'update' | 'delete', result: PlanAccesses): void {
  const table = tableOf(operator);
  if (!table) {
    result.undescribed.push(`the target of ${access}`);
    return;
  }
  const stored = storedColumns(operator);
  const set = arrayOf(operator.columns).flatMap((i) => (typeof i === 'number' ? [stored[i] ?? ''] : []));
  const columns = access === 'update' ? set : access === 'insert' ? table.columns : [];
  result.accesses.push({ ...table.object, kind: 'table', access, columns });
  if (access === 'insert' && stringOf(operator.action_type) !== 'THROW' && operator.action_type !== undefined) {
    result.accesses.push({ ...table.object, kind: 'table', access: 'update', columns: table.columns });
  }
  returning(operator, table, result);
}

/** The plan does not tell which columns RETURNING reads: every one is taken as read. */
function returning(operator: JsonObject, table: { object: ObjectName; columns: string[] }, result: PlanAccesses): void {
  if (operator.return_chunk !== false) {
    result.accesses.push({ ...table.object, kind: 'table', access: 'read', columns: table.columns });
  }
}

const MERGE_ACTIONS: Readonly<Record<string, Access | null>> = {
  MERGE_INSERT: 'insert',
  MERGE_UPDATE: 'update',
  MERGE_DELETE: 'delete',
  MERGE_DO_NOTHING: null,
  MERGE_ERROR: null,
};

function visitMerge(operator: JsonObject, result: PlanAccesses): void {
  const table = tableOf(operator);
  if (!table) {
    result.undescribed.push('the target of MERGE');
    return;
  }
  const actions = arrayOf(operator.actions).flatMap((entry) => (isObject(entry) ? arrayOf(entry.value) : []));
  let writes = 0;
  for (const action of actions) {
    const type = isObject(action) ? stringOf(action.action_type) : '';
    if (!Object.hasOwn(MERGE_ACTIONS, type)) result.undescribed.push(`MERGE action ${type}`);
    const access = MERGE_ACTIONS[type];
    if (access) {
      writes++;
      result.accesses.push({ ...table.object, kind: 'table', access, columns: table.columns });
    }
  }
  // A MERGE that only raises or ignores is a write all the same: seed 000, "Reads, writes and DDL".
  if (writes === 0) result.accesses.push({ ...table.object, kind: 'table', access: 'update', columns: [] });
  returning(operator, table, result);
}

const CREATED: Readonly<Record<string, { kind: ObjectKind; name: string }>> = {
  TABLE_ENTRY: { kind: 'table', name: 'table' },
  VIEW_ENTRY: { kind: 'view', name: 'view_name' },
  SEQUENCE_ENTRY: { kind: 'sequence', name: 'name' },
  TYPE_ENTRY: { kind: 'type', name: 'name' },
  MACRO_ENTRY: { kind: 'macro', name: 'name' },
  TABLE_MACRO_ENTRY: { kind: 'macro', name: 'name' },
};

function visitCreate(type: string, operator: JsonObject, result: PlanAccesses): void {
  const info = isObject(operator.info) ? operator.info : {};
  const entry = stringOf(info.type);
  const place = { catalog: stringOf(info.catalog), schema: stringOf(info.schema) };
  const replaces = stringOf(info.on_conflict) === 'REPLACE_ON_CONFLICT';
  if (entry === 'SCHEMA_ENTRY') {
    push(result, { ...place, name: '*', kind: 'schema' }, replaces ? ['create', 'drop'] : ['create']);
  } else if (entry === 'INDEX_ENTRY') {
    // A unique one fails with the text of a value that occurs twice.
    push(result, { ...place, name: stringOf(info.table), kind: 'table' }, ['alter', 'read']);
  } else if (Object.hasOwn(CREATED, entry)) {
    const { kind, name } = CREATED[entry] as { kind: ObjectKind; name: string };
    push(result, { ...place, name: stringOf(info[name]), kind }, replaces ? ['create', 'drop'] : ['create']);
    for (const constraint of arrayOf(info.constraints)) visitConstraint(constraint, place.catalog, result);
  } else result.undescribed.push(`${type} of ${entry}`);
}

/** A foreign key tells which keys the other table has: a read of them. */
function visitConstraint(constraint: Json, catalog: string, result: PlanAccesses): void {
  if (!isObject(constraint) || constraint.type !== 'FOREIGN_KEY') return;
  const object = { catalog, schema: stringOf(constraint.schema), name: stringOf(constraint.table) };
  const columns = arrayOf(constraint.pk_columns).map(stringOf);
  result.accesses.push({ ...object, kind: 'table', access: 'read', columns });
}

const DROPPED: Readonly<Record<string, ObjectKind>> = {
  TABLE_ENTRY: 'table',
  VIEW_ENTRY: 'view',
  SEQUENCE_ENTRY: 'sequence',
  TYPE_ENTRY: 'type',
  MACRO_ENTRY: 'macro',
  TABLE_MACRO_ENTRY: 'macro',
  INDEX_ENTRY: 'index',
};

function visitDrop(operator: JsonObject, result: PlanAccesses): void {
  const info = isObject(operator.info) ? operator.info : {};
  const entry = stringOf(info.type);
  const name = stringOf(info.name);
  if (entry === 'SCHEMA_ENTRY') {
    push(result, { catalog: stringOf(info.catalog), schema: name, name: '*', kind: 'schema' }, ['drop']);
  } else if (Object.hasOwn(DROPPED, entry)) {
    const place = { catalog: stringOf(info.catalog), schema: stringOf(info.schema) };
    const kind = DROPPED[entry] as ObjectKind;
    // An index belongs to a table that the plan does not name: only who may change the whole schema drops it.
    push(result, { ...place, name: kind === 'index' ? '*' : name, kind }, ['drop']);
  } else result.undescribed.push(`DROP of ${entry}`);
}

const ALTERED_IN_PLACE = new Set(
  `ADD_COLUMN REMOVE_COLUMN RENAME_COLUMN ALTER_COLUMN_TYPE SET_DEFAULT SET_NOT_NULL DROP_NOT_NULL ADD_CONSTRAINT
  RENAME_TABLE RENAME_VIEW ADD_FIELD REMOVE_FIELD RENAME_FIELD`.split(/\s+/),
);

function visitAlter(operator: JsonObject, result: PlanAccesses): void {
  const info = isObject(operator.info) ? operator.info : {};
  const type = stringOf(info.type);
  const place = { catalog: stringOf(info.catalog), schema: stringOf(info.schema) };
  if (type === 'SET_COMMENT') return visitComment(info, result);
  const object = { ...place, name: stringOf(info.name), kind: type === 'ALTER_VIEW' ? 'view' : 'table' } as const;
  if (type === 'SET_COLUMN_COMMENT') return push(result, object, ['alter']);
  const change = stringOf(info.alter_table_type) || stringOf(info.alter_view_type);
  if ((type !== 'ALTER_TABLE' && type !== 'ALTER_VIEW') || !ALTERED_IN_PLACE.has(change)) {
    result.undescribed.push(`${type} ${change}`);
    return;
  }
  push(result, object, ['alter']);
  const column = stringOf(info.column_name);
  push(result, object, besideAlter(change, info), column === '' ? [] : [column]);
  const renamed = stringOf(info.new_table_name) || stringOf(info.new_view_name);
  if (renamed !== '') push(result, { ...object, name: renamed }, ['create']);
  if (isObject(info.constraint)) visitConstraint(info.constraint, place.catalog, result);
}

function visitComment(info: JsonObject, result: PlanAccesses): void {
  const entry = stringOf(info.entry_catalog_type);
  const kind = Object.hasOwn(DROPPED, entry) ? DROPPED[entry] : undefined;
  if (kind === undefined) return void result.undescribed.push(`COMMENT on ${entry}`);
  const name = kind === 'index' ? '*' : stringOf(info.name);
  push(result, { catalog: stringOf(info.catalog), schema: stringOf(info.schema), name, kind }, ['alter']);
}

/** What a change of a table does with its rows, beside being DDL. */
function besideAlter(change: string, info: JsonObject): Access[] {
  switch (change) {
    case 'ADD_COLUMN':
      // A new column with a default is filled in every row (seed 000, "Verbs").
      return isObject(info.new_column) && isObject(info.new_column.expression) ? ['update'] : [];
    case 'ALTER_COLUMN_TYPE':
      // Every row is written anew, from what USING reads; a value that does not fit is in the error's text.
      return ['read', 'update'];
    case 'SET_NOT_NULL':
    case 'ADD_CONSTRAINT':
      // Whether it fails tells of the rows, and so may the error's text.
      return ['read'];
    case 'RENAME_TABLE':
    case 'RENAME_VIEW':
      // What a grant or a deny on the old name hides would be there under the new one.
      return ['read'];
    default:
      return [];
  }
}

function push(
  result: PlanAccesses,
  object: ObjectName & { kind: ObjectKind },
  accesses: Access[],
  columns: string[] = [],
): void {
  for (const access of accesses) result.accesses.push({ ...object, access, columns });
}

function visitExpression(expression: JsonObject, result: PlanAccesses): void {
  const kind = expression.expression_class as string;
  if (!isDescribableExpression(kind)) {
    result.undescribed.push(kind);
    return;
  }
  if (kind !== 'BOUND_FUNCTION' && kind !== 'BOUND_AGGREGATE') return;
  const foreign = !['system', ''].includes(stringOf(expression.catalog_name));
  result.functions.push({ name: stringOf(expression.name), position: 'scalar', foreign });
  noteTextCost(expression, result);
  sequenceOf(expression, result);
}

/** nextval and currval name their sequence in the function's data. */
function sequenceOf(expression: JsonObject, result: PlanAccesses): void {
  const data = isObject(expression.function_data) ? expression.function_data : {};
  const info = isObject(data.sequence_create_info) ? data.sequence_create_info : null;
  if (!info) return;
  const object = { catalog: stringOf(info.catalog), schema: stringOf(info.schema), name: stringOf(info.name) };
  result.accesses.push({ ...object, kind: 'sequence', access: 'update', columns: [] });
}

/** Defaults, CHECK and generated columns are in the plan as parsed, not bound, expressions. */
function visitParsedFunction(expression: JsonObject, result: PlanAccesses): void {
  result.functions.push({ name: stringOf(expression.function_name), position: 'scalar', foreign: false, parsed: true });
  noteTextCost(expression, result);
}
