import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { PolicyFault } from './fault';

/** Words in the fields of a tree that say that there is nothing. */
const NOTHING = new Set(['', 'EMPTY', 'ORDER_MODIFIER', 'STANDARD_HANDLING']);

/** Whether a field of a syntax tree holds nothing, in whatever form the engine writes that. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'string') return NOTHING.has(value);
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  return Object.entries(value).every(([key, field]) => key === 'query_location' || isEmpty(field));
}

/**
 * The one expression of `SELECT <expression>`.
 *
 * @throws PolicyFault for a tree of anything else: a second statement, a FROM, an alias, a list …
 */
export function expressionIn(tree: Json): JsonObject {
  if (!isObject(tree) || tree.error !== false) throw new PolicyFault('this is not a single SQL expression');
  const [statement, ...more] = arrayOf(tree.statements);
  const node = isObject(statement) ? statement.node : undefined;
  if (more.length > 0 || !isObject(node) || stringOf(node.type) !== 'SELECT_NODE') throw notSingle();
  for (const [key, field] of Object.entries(node)) {
    if (key !== 'type' && key !== 'select_list' && !isEmpty(field)) throw notSingle();
  }
  const [expression, ...others] = arrayOf(node.select_list);
  if (others.length > 0 || !isObject(expression) || !isEmpty(expression.alias)) throw notSingle();
  return expression;
}

function notSingle(): PolicyFault {
  return new PolicyFault('a policy is one scalar expression: no list, no alias, no FROM or other clause');
}

/** A tree of `SELECT <expression>`, as `json_deserialize_sql` reads it. */
export function statementOf(expression: JsonObject): JsonObject {
  const node = {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list: [expression],
    from_table: { type: 'EMPTY' },
    aggregate_handling: 'STANDARD_HANDLING',
  };
  return { error: false, statements: [{ node }] };
}

/** A tree without places in the text: the engine's "none" is a number that this program does not keep. */
export function unlocated<T extends Json>(tree: T): T {
  if (Array.isArray(tree)) return tree.map(unlocated) as T;
  if (!isObject(tree)) return tree;
  const fields = Object.entries(tree).filter(([key]) => key !== 'query_location');
  return Object.fromEntries(fields.map(([key, field]) => [key, field === undefined ? field : unlocated(field)])) as T;
}
