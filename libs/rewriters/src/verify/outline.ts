import { JsonObject } from '../ast';
import { ObjectName } from '../description';
import { scannedTable } from './bound-plan';
import { childrenOf, operatorType } from './plan-operator';
import { isSealed, type Seals } from './sealed';

/**
 * The operators of a governed plan, one a line, indented by how deep they stand: what EXPLAIN shows of it. It is the plan
 * before the optimizer, so that no estimate and nothing that was folded is in it, and no expression, so that no policy is
 * (DESIGN section 6, "Side channels"); of a secure view, nothing but that it is one.
 */
export function outline(plan: JsonObject, seals: Seals): string {
  const lines: string[] = [];
  describe(plan, 0, lines, seals);
  return lines.join('\n');
}

function describe(operator: JsonObject, depth: number, lines: string[], seals: Seals): void {
  if (isSealed(operator, seals)) return void lines.push(`${'  '.repeat(depth)}SECURE VIEW`);
  const type = operatorType(operator).replace(/^LOGICAL_/, '');
  const table = type === 'GET' ? scannedTable(operator) : null;
  lines.push('  '.repeat(depth) + (table ? `SCAN ${nameOf(table)}` : type));
  for (const child of childrenOf(operator)) describe(child, depth + 1, lines, seals);
}

function nameOf({ catalog, schema, name }: ObjectName): string {
  return `${catalog}.${schema}.${name}`;
}
