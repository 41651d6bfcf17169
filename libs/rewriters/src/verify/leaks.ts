import { arrayOf, isObject, Json, JsonObject } from '../ast';
import { tableKey } from '../catalog';
import { canonical, guardOf } from './bound-expression';
import { type Proof, type Relations, scannedTable } from './bound-plan';
import { isLeakproof } from './leakproof';
import { PlanTemplate } from './plan-template';
import { failsOnStatistics } from './statistics';
import { childrenOf, operatorType, scannedColumns } from './plan-operator';

/**
 * Whether the engine may compute something that can fail on a row that a policy hides: it moves what a filter or a join
 * asks down to the scan, through projections, and there nothing says which condition of a row comes first. What stands in a
 * list of columns or under an aggregate is computed on admitted rows alone. Source: the rule of PostgreSQL for security
 * barriers; DESIGN section 6, "Side channels".
 *
 * @param relations what was proven to be governed
 */
export function mayTellOfHiddenRows(plan: JsonObject, relations: Relations, proof: Proof): boolean {
  const open = relations.open.size > 0 || [...relations.targets].some((scan) => templateOf(scan, proof)?.filter);
  if ((open || relations.closed.size > 0) && failsOnStatistics(plan)) return true;
  return open && looksInto(plan, { relations, proof, computed: computesAnywhere(plan) }).leaks;
}

interface Plan {
  relations: Relations;
  proof: Proof;
  /** An operator of the plan makes columns by what can fail. */
  computed: boolean;
}

interface Below {
  leaks: boolean;
  /** Rows of a policy's relation come from below, and what is asked of them is moved there. */
  exposed: boolean;
  /** An operator below makes columns by what can fail. */
  computes: boolean;
}

function looksInto(operator: JsonObject, plan: Plan): Below {
  const { relations, computed } = plan;
  const type = operatorType(operator);
  if (relations.closed.has(operator)) return { leaks: false, exposed: false, computes: false };
  if (relations.open.has(operator)) return { leaks: false, exposed: true, computes: computes(operator) };
  if (relations.targets.has(operator)) return { leaks: false, exposed: true, computes: false };
  // What a common table expression, or the other side of a correlation, computes is elsewhere in the plan.
  if (ELSEWHERE.has(type)) return { leaks: false, exposed: true, computes: computed };
  const below = childrenOf(operator).map((child) => looksInto(child, plan));
  const exposed = below.some((one) => one.exposed);
  const made = below.some((one) => one.computes);
  if (below.some(({ leaks }) => leaks)) return { leaks: true, exposed, computes: made };
  if (!ASKING.has(type)) return { leaks: false, exposed, computes: made || (MAKING.has(type) && computes(operator)) };
  const asked = exposed ? asks(operator, plan) : null;
  return { leaks: asked !== null && (made || !asked.every(isLeakproof)), exposed, computes: made };
}

const ELSEWHERE = new Set(['LOGICAL_CTE_REF', 'LOGICAL_DELIM_GET']);

/** Operators whose conditions the engine moves. */
const ASKING = new Set(
  'LOGICAL_FILTER LOGICAL_COMPARISON_JOIN LOGICAL_ANY_JOIN LOGICAL_DELIM_JOIN LOGICAL_ASOF_JOIN LOGICAL_DEPENDENT_JOIN'.split(
    ' ',
  ),
);
/** Operators that make columns through which a condition is moved; of an aggregate those that it groups by. */
const MAKING = new Set('LOGICAL_PROJECTION LOGICAL_AGGREGATE_AND_GROUP_BY LOGICAL_UNNEST'.split(' '));

/** What an operator asks of its rows; null: only what a policy does, of its own relation. */
function asks(operator: JsonObject, { relations, proof }: Plan): Json[] | null {
  const expressions = arrayOf(operator.expressions);
  if (operatorType(operator) !== 'LOGICAL_FILTER') {
    const conditions = arrayOf(operator.conditions).flatMap((one) =>
      isObject(one) ? [one.left ?? null, one.right ?? null] : [],
    );
    return [...expressions, ...conditions, ...(operator.condition === undefined ? [] : [operator.condition])];
  }
  const scan = targetUnder(operator, relations);
  const template = scan && templateOf(scan, proof);
  if (!scan || !template) return expressions;
  const names = scannedColumns(scan);
  const isOwn = (one: Json): boolean => {
    if (template.filter?.includes(canonical(one, names, proof.nonce))) return true;
    const guard = guardOf(one);
    return guard !== null && canonical(guard.guard, names, proof.nonce) === template.condition;
  };
  const others = expressions.filter((one) => !isOwn(one));
  return others.length === 0 ? null : others;
}

/** The scan of a write's target under a filter and cross products alone. */
function targetUnder(operator: JsonObject, { targets }: Relations): JsonObject | null {
  let [at] = childrenOf(operator);
  while (at && operatorType(at) === 'LOGICAL_CROSS_PRODUCT') [at] = childrenOf(at);
  return at && targets.has(at) ? at : null;
}

function templateOf(scan: JsonObject, { tables }: Proof): PlanTemplate | null {
  const table = scannedTable(scan);
  return (table && tables.get(tableKey(table))) ?? null;
}

function computes(operator: JsonObject): boolean {
  const grouped = operatorType(operator) === 'LOGICAL_AGGREGATE_AND_GROUP_BY';
  return arrayOf(grouped ? operator.groups : operator.expressions).some((one) => !isLeakproof(one));
}

function computesAnywhere(operator: JsonObject): boolean {
  return (MAKING.has(operatorType(operator)) && computes(operator)) || childrenOf(operator).some(computesAnywhere);
}
