import { QueryNames } from '../ast';
import { resolveTable } from '../catalog';
import { fold, quoteIdentifier, render, type Replacement, standsAt, startsOf, Token, withTexts } from '../lexer';
import { SessionCatalog } from './named-tables';

/**
 * The text of a query in which the tables of federated catalogs are those of their stubs, which the plan names in full; as
 * it is where it reads none. null: one stands where it cannot be told apart.
 *
 * @param tables those that the syntax tree of the text tells, with their places
 */
export function onStubs(
  tokens: readonly Token[],
  { tables }: Pick<QueryNames, 'tables'>,
  { snapshot, path, stubs }: SessionCatalog,
): string | null {
  const replaced = new Map<number, Replacement>();
  const starts = startsOf(tokens);
  for (const table of tables) {
    const parts = [table.catalog, table.schema, table.name].filter((part) => part !== '');
    const found = resolveTable(parts, path, snapshot);
    const stub = found && stubs.get(fold(found.catalog));
    if (!found || stub === undefined || stub === null) continue;
    const first = table.at === undefined ? undefined : starts.get(table.at);
    if (first === undefined || parts.length < 2 || found.kind !== 'table' || !standsAt(tokens, first, parts))
      return null;
    const text = [stub, found.schema, found.name].map(quoteIdentifier).join('.');
    replaced.set(first, { length: 2 * parts.length - 1, text });
  }
  if (replaced.size === 0) return render(tokens);
  return render(withTexts(tokens, replaced));
}

/** The name of the catalog that a stub stands for. */
export function behindStub(catalog: string, { stubs }: Pick<SessionCatalog, 'stubs'>): string {
  for (const [name, stub] of stubs) if (fold(stub) === fold(catalog)) return name;
  return catalog;
}
