import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { tableKey } from '../catalog';
import { ObjectName } from '../description';
import { isListingFunction } from '../govern/listings';
import { bareIndex, canonical } from './bound-expression';
import { narrows, type Parents, type Proof, type Relations, scannedTable } from './bound-plan';
import { mayTellOfHiddenRows } from './leaks';
import { canonicalPlan } from './canonical-plan';
import { childrenOf, operatorType, scannedColumns } from './plan-operator';
import { isBarrier, isSealed } from './sealed';
import { verifyTarget } from './verify-target';

export interface Verified {
  /** Why the plan is no proof, in words for the author of the statement; null: it is one. */
  violation: string | null;
  /** What it asks may be computed on a row that is hidden, and tell of it by an error. */
  leaks: boolean;
  /** What it scans and writes outside of listings and secure views: keys of tables, each once. */
  tables: ReadonlySet<string>;
  /** The table functions that it calls outside of them, each once. */
  functions: ReadonlySet<string>;
}

/**
 * Proves on the bound plan that every scan of a protected table stands under its own filter and its own masks, whatever
 * made the text (DESIGN invariant 4). The plan is unoptimized: what a relation of the text computes is in one projection,
 * one filter and one scan, and nothing above can reach through the projection.
 */
export function verify(plan: JsonObject, proof: Proof): Verified {
  const relations: Relations = { open: new Set(), closed: new Set(), targets: new Set() };
  const [tables, functions] = [new Set<string>(), new Set<string>()];
  const violation = walk(plan, null, { ...proof, found: { tables, functions } }, relations);
  const leaks = violation === null && mayTellOfHiddenRows(plan, relations, proof);
  return { violation, leaks, tables, functions };
}

/** The proof with what was found on the way. */
interface Search extends Proof {
  found: { tables: Set<string>; functions: Set<string> };
}

function walk(operator: JsonObject, above: Parents | null, proof: Search, relations: Relations): string | null {
  const type = operatorType(operator);
  if (isBarrier(operator) && isListing(operator, proof)) return null;
  if (isSealed(operator, proof)) {
    relations.closed.add(operator);
    return null;
  }
  if (type === 'LOGICAL_GET') {
    const scanned = scannedTable(operator);
    if (scanned) proof.found.tables.add(tableKey(scanned));
    else proof.found.functions.add(stringOf(operator.name));
    if (isListingFunction(stringOf(operator.name)))
      return 'a listing is read where it is not narrowed to what is granted';
    const violation = verifyScan(operator, above, proof, relations);
    if (violation !== null) return violation;
  }
  if (WRITES.has(type)) {
    const table = writtenTable(operator);
    if (table) proof.found.tables.add(tableKey(table));
    const template = table ? proof.tables.get(tableKey(table)) : undefined;
    const violation = table && template ? verifyTarget({ operator, above, table, template }, proof, relations) : null;
    if (violation !== null) return violation;
  }
  for (const [index, child] of childrenOf(operator).entries()) {
    const violation = walk(child, { operator, index, above }, proof, relations);
    if (violation !== null) return violation;
  }
  return null;
}

/** The answer of a listing, all of it. */
function isListing(operator: JsonObject, { nonce, listings }: Proof): boolean {
  return listings.size > 0 && listings.has(canonicalPlan(operator, nonce));
}

const WRITES: ReadonlySet<string> = new Set([
  'LOGICAL_INSERT',
  'LOGICAL_UPDATE',
  'LOGICAL_DELETE',
  'LOGICAL_MERGE_INTO',
]);

/** The table that an operator writes to. */
function writtenTable({ table_info: info }: JsonObject): ObjectName | null {
  if (!isObject(info)) return null;
  return { catalog: stringOf(info.catalog), schema: stringOf(info.schema), name: stringOf(info.table) };
}

function verifyScan(
  get: JsonObject,
  above: Parents | null,
  { nonce, tables }: Proof,
  relations: Relations,
): string | null {
  const table = scannedTable(get);
  const template = table ? tables.get(tableKey(table)) : undefined;
  // The target of UPDATE and DELETE was looked at from above.
  if (!table || !template || relations.targets.has(get)) return null;
  const raw = `${table.name} is read where its policies are not in force`;
  const names = scannedColumns(get);
  let at = above;
  if (template.filter) {
    if (!at || operatorType(at.operator) !== 'LOGICAL_FILTER' || narrows(at.operator)) return raw;
    const filter = arrayOf(at.operator.expressions).map((one) => canonical(one, names, nonce));
    if (!sameList(filter, template.filter)) return raw;
    at = at.above;
  }
  // What a correlated subquery takes from outside is joined to the rows before the columns are made.
  while (at && at.index === 0 && isJoinOfOuterColumns(at.operator)) at = at.above;
  if (!at || operatorType(at.operator) !== 'LOGICAL_PROJECTION') return raw;
  const expressions = arrayOf(at.operator.expressions);
  const own = expressions.slice(0, template.outputs.length).map((one) => canonical(one, names, nonce));
  if (!sameList(own, template.outputs)) return raw;
  if (!expressions.slice(template.outputs.length).every((one) => isOuter(one, names.length))) return raw;
  if (template.filter) {
    const barrier = at.above && isBarrier(at.above.operator) ? at.above.operator : null;
    if (barrier) relations.closed.add(barrier);
    else relations.open.add(at.operator);
  }
  return null;
}

/** A column that the projection takes along, and that is none of the scan. */
function isOuter(expression: Json, scanned: number): boolean {
  const index = bareIndex(expression);
  return index !== null && index >= scanned;
}

function isJoinOfOuterColumns(operator: JsonObject): boolean {
  const [, right] = childrenOf(operator);
  return (
    operatorType(operator) === 'LOGICAL_CROSS_PRODUCT' &&
    right !== undefined &&
    operatorType(right) === 'LOGICAL_DELIM_GET'
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
