import { arrayOf, JsonObject, stringOf } from '../ast';
import { canonical } from './bound-expression';
import { childrenOf, operatorType, scannedColumns } from './plan-operator';

/** What the plan of `template(…)` shows: how a protected table has to be read, as the engine has bound it. */
export interface PlanTemplate {
  /** Columns of the table, in order. */
  columns: string[];
  /** What the relation gives, in order. */
  outputs: string[];
  /** The conditions on its rows; null: none. */
  filter: string[] | null;
  /** The check of a written row, and the condition as one expression; null where there is no filter. */
  check: string | null;
  condition: string | null;
  /** Names of the columns whose own values are not to be had. */
  hidden: string[];
  /** It computes with times that the time zone of a session decides. */
  zoned: boolean;
}

/** Reads the plan of a template; null when it is of another form than the template has. */
export function readTemplate(
  plan: JsonObject,
  { nonce, hidden, filtered }: { nonce: string; hidden: readonly string[]; filtered: boolean },
): PlanTemplate | null {
  const [below] = childrenOf(plan);
  const get = filtered ? childrenOf(below ?? {})[0] : below;
  if (operatorType(plan) !== 'LOGICAL_PROJECTION' || !below || !get || operatorType(get) !== 'LOGICAL_GET') return null;
  if (filtered && operatorType(below) !== 'LOGICAL_FILTER') return null;
  const names = scannedColumns(get);
  const expressions = arrayOf(plan.expressions).map((one) => canonical(one, names, nonce));
  const columns = arrayOf(get.names).map(stringOf);
  if (expressions.length !== columns.length + (filtered ? 2 : 0)) return null;
  const [check = null, condition = null] = expressions.slice(columns.length);
  return {
    columns,
    outputs: expressions.slice(0, columns.length),
    filter: filtered ? arrayOf(below.expressions).map((one) => canonical(one, names, nonce)) : null,
    check,
    condition,
    hidden: [...hidden],
    zoned: expressions.some((one) => one.includes('WITH TIME ZONE')),
  };
}
