import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { tableKey } from '../catalog';
import { fold } from '../lexer';
import { storedColumns } from '../plan';
import { ObjectName } from '../description';
import { bareIndex, canonical, guardOf, indexesIn } from './bound-expression';
import { narrows, type Parents, type Proof, type Relations, scannedTable } from './bound-plan';
import { childrenOf, operatorType, scannedColumns } from './plan-operator';
import { PlanTemplate } from './plan-template';

/** A protected table that an operator writes to. */
export interface Target {
  operator: JsonObject;
  above: Parents | null;
  table: ObjectName;
  template: PlanTemplate;
}

/** Source: DESIGN section 6, "Governing": what is written is checked, what is changed is limited, nothing masked is read. */
export function verifyTarget(target: Target, proof: Proof, relations: Relations): string | null {
  const { operator } = target;
  const type = operatorType(operator);
  if (type === 'LOGICAL_MERGE_INTO') return 'ON CONFLICT and MERGE are not supported on a table under a policy';
  if (type === 'LOGICAL_INSERT' && !['THROW', ''].includes(stringOf(operator.action_type))) {
    return 'ON CONFLICT is not supported on a table under a policy';
  }
  const written = type === 'LOGICAL_DELETE' ? null : target.template.check;
  const returned = verifyReturned(target, written, proof);
  if (returned !== null || type === 'LOGICAL_INSERT') return returned;
  return verifyTouched(target, proof, relations);
}

/** What RETURNING gives: the check of what was written, where there is one; else nothing that is masked. */
function verifyReturned({ operator, above, template }: Target, check: string | null, { nonce }: Proof): string | null {
  const returns = operator.return_chunk === true;
  if (check === null) {
    return returns && template.hidden.length > 0 ? 'RETURNING is not supported on a table with masked columns' : null;
  }
  const expressions = above ? arrayOf(above.operator.expressions) : [];
  const [only] = expressions;
  const checked =
    returns &&
    above !== null &&
    above.above === null &&
    operatorType(above.operator) === 'LOGICAL_PROJECTION' &&
    expressions.length === 1 &&
    only !== undefined &&
    canonical(only, storedColumns(operator), nonce) === check;
  return checked ? null : 'what it writes cannot be held against the row policy';
}

/** The rows that UPDATE and DELETE touch are admitted ones, and nothing that is masked decides or is written. */
function verifyTouched({ operator, table, template }: Target, proof: Proof, relations: Relations): string | null {
  const [below] = childrenOf(operator);
  if (!below) return 'its target is not found';
  const flow: Flow = { table, template, nonce: proof.nonce, missing: new Set(template.filter ?? []), scan: null };
  const columns = columnsUnder(below, flow);
  if (typeof columns === 'string') return columns;
  if (flow.scan === null) return 'its target is not found';
  if (flow.missing.size > 0) return 'the rows that it touches are not limited by the row policy';
  const stored = storedColumns(operator);
  const set = arrayOf(operator.columns).map((index) => (typeof index === 'number' ? stored[index] : undefined));
  const taken = operatorType(operator) === 'LOGICAL_UPDATE' ? columns.slice(0, set.length) : [];
  // The engine carries columns of the row along: each into itself.
  if (taken.some((name, i) => isHidden(name, template) && name !== set[i])) return MASKED;
  relations.targets.add(flow.scan);
  return null;
}

const MASKED = 'a masked column is used in the WHERE or SET of a write, where its own value would count';

interface Flow {
  table: ObjectName;
  template: PlanTemplate;
  nonce: string;
  /** Conditions of the row policy that were not met yet. */
  missing: Set<string>;
  scan: JsonObject | null;
}

/** For each column that an operator gives the column of the target that it is; null for any other. A text: a violation. */
type Columns = (string | null)[] | string;

function columnsUnder(operator: JsonObject, flow: Flow): Columns {
  const children = childrenOf(operator);
  const [left, right] = children;
  switch (operatorType(operator)) {
    case 'LOGICAL_GET':
      return columnsOfScan(operator, flow);
    case 'LOGICAL_FILTER': {
      const columns = left ? columnsUnder(left, flow) : 'its target is not found';
      return typeof columns === 'string' ? columns : filtered(operator, columns, flow);
    }
    case 'LOGICAL_PROJECTION': {
      const columns = left ? columnsUnder(left, flow) : 'its target is not found';
      return typeof columns === 'string' ? columns : projected(operator, columns, flow);
    }
    case 'LOGICAL_CROSS_PRODUCT':
    case 'LOGICAL_COMPARISON_JOIN':
    case 'LOGICAL_ANY_JOIN':
    case 'LOGICAL_DELIM_JOIN': {
      // Of the other side nothing is raw: every scan in it is held against its own template.
      const columns = left && right ? columnsUnder(left, flow) : 'its target is not found';
      return typeof columns === 'string' ? columns : joined(operator, columns, flow);
    }
    default:
      return `UPDATE and DELETE over ${operatorType(operator)} are not supported on a table under a policy`;
  }
}

function columnsOfScan(get: JsonObject, flow: Flow): Columns {
  const table = scannedTable(get);
  const columns = scannedColumns(get);
  if (!table || tableKey(table) !== tableKey(flow.table) || !columns.includes('rowid'))
    return 'its target is not found';
  flow.scan = get;
  return columns;
}

function filtered(filter: JsonObject, columns: (string | null)[], flow: Flow): Columns {
  for (const expression of arrayOf(filter.expressions)) {
    if (flow.missing.delete(canonical(expression, columns, flow.nonce))) continue;
    if (readsHidden(guarded(expression, columns, flow), columns, flow.template)) return MASKED;
  }
  if (!narrows(filter)) return columns;
  return arrayOf(filter.projection_map).map((index) => (typeof index === 'number' ? (columns[index] ?? null) : null));
}

/** What a guarded expression asks of a row, without the condition that guards it. */
function guarded(expression: Json, columns: (string | null)[], { template, nonce }: Flow): Json[] {
  const when = guardOf(expression);
  if (when === null || canonical(when.guard, columns, nonce) !== template.condition) return [expression];
  return when.rest;
}

function projected(projection: JsonObject, columns: (string | null)[], { template }: Flow): Columns {
  const result: (string | null)[] = [];
  for (const expression of arrayOf(projection.expressions)) {
    const index = bareIndex(expression);
    if (index === null && readsHidden([expression], columns, template)) return MASKED;
    result.push(index === null ? null : (columns[index] ?? null));
  }
  return result;
}

const MARKS_ROWS = new Set(['SEMI', 'ANTI']);
const GIVES_LEFT_FIRST = new Set(['INNER', 'LEFT', 'SEMI', 'ANTI', 'MARK', 'SINGLE', '']);

function joined(join: JsonObject, columns: (string | null)[], { template }: Flow): Columns {
  const type = stringOf(join.join_type);
  if (!GIVES_LEFT_FIRST.has(type) || arrayOf(join.right_projection_map).length > 0) {
    return `UPDATE and DELETE with a ${fold(type)} join are not supported on a table under a policy`;
  }
  const conditions = arrayOf(join.conditions).flatMap((one) =>
    isObject(one) && one.left !== undefined ? [one.left] : [],
  );
  const asked = [...conditions, ...arrayOf(join.duplicate_eliminated_columns)];
  if (join.condition !== undefined) asked.push(join.condition);
  if (readsHidden(asked, columns, template)) return MASKED;
  const map = arrayOf(join.left_projection_map);
  const left = map.length === 0 ? columns : map.map((i) => (typeof i === 'number' ? (columns[i] ?? null) : null));
  return MARKS_ROWS.has(type) ? left : [...left];
}

function readsHidden(expressions: readonly Json[], columns: (string | null)[], template: PlanTemplate): boolean {
  return expressions.some((one) => [...indexesIn(one)].some((index) => isHidden(columns[index], template)));
}

function isHidden(name: string | null | undefined, { hidden }: PlanTemplate): boolean {
  if (name === 'rowid') return true;
  return typeof name === 'string' && hidden.some((column) => fold(column) === fold(name));
}
