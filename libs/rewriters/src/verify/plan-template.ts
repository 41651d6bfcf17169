import { arrayOf, Json, JsonObject, stringOf } from '../ast';
import { fold } from '../lexer';
import { bareIndex, canonical, indexesIn } from './bound-expression';
import { childrenOf, operatorType, scannedColumns } from './plan-operator';

/** What the plan of `template(…)` shows: how a protected table has to be read, as the engine has bound it. */
export interface PlanTemplate {
  /** What the relation gives, in order. */
  outputs: string[];
  /** The conditions on its rows; null: none. */
  filter: string[] | null;
  /** The check of a written row, and the condition as one expression; null where there is no filter. */
  check: string | null;
  condition: string | null;
  /** Names of the columns whose own values are not to be had, with those that generated ones of them are computed from. */
  hidden: string[];
  /** Generated columns that are not hidden themselves, and computed from what is. */
  derived: string[];
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
  if (expressions.length !== 2 * columns.length + (filtered ? 2 : 0)) return null;
  const [check = null, condition = null] = filtered ? expressions.slice(columns.length) : [];
  const own = arrayOf(plan.expressions).slice(-columns.length);
  return {
    outputs: expressions.slice(0, columns.length),
    filter: filtered ? arrayOf(below.expressions).map((one) => canonical(one, names, nonce)) : null,
    check,
    condition,
    ...generatedOf(
      own.map((one, i) => ({ name: columns[i] ?? '', expression: one })),
      { names, hidden, nonce },
    ),
    zoned: expressions.slice(0, -columns.length).some((one) => one.includes('WITH TIME ZONE')),
  };
}

/**
 * The engine puts what a generated column stands for in its place: of the names of such columns a plan shows nothing.
 *
 * @param own what each column is without policies
 * @param names of what the scan gives, in order
 */
function generatedOf(
  own: readonly { name: string; expression: Json }[],
  { names, hidden, nonce }: { names: readonly string[]; hidden: readonly string[]; nonce: string },
): Pick<PlanTemplate, 'hidden' | 'derived'> {
  const isHidden = (name: string): boolean => hidden.some((one) => fold(one) === fold(name));
  const generated = own
    .filter(({ expression }) => bareIndex(expression) === null)
    .map(({ name, expression }) => ({
      name,
      sources: [...indexesIn(expression)].map((index) => names[index] ?? ''),
      form: canonical(expression, names, nonce),
    }));
  const concealed = generated.filter(({ name }) => isHidden(name));
  const derived = generated.filter(
    ({ name, sources, form }) =>
      !isHidden(name) && (sources.some(isHidden) || concealed.some((one) => form.includes(one.form))),
  );
  return {
    hidden: [...new Set([...hidden, ...concealed.flatMap(({ sources }) => sources)])],
    derived: derived.map(({ name }) => name),
  };
}
