import { QueryNames } from '../ast';
import { resolveTable } from '../catalog';
import { fold, quoteIdentifier, render, Token } from '../lexer';
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
  const replaced = new Map<number, { length: number; text: string }>();
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

/** Token by the byte of the rendered text at which it begins. */
function startsOf(tokens: readonly Token[]): Map<number, number> {
  const starts = new Map<number, number>();
  let at = 0;
  tokens.forEach(({ text }, i) => {
    starts.set(at, i);
    at += Buffer.byteLength(text) + 1;
  });
  return starts;
}

function standsAt(tokens: readonly Token[], first: number, parts: readonly string[]): boolean {
  return parts.every((part, i) => {
    const token = tokens[first + 2 * i];
    const name = token?.type === 'word' || token?.type === 'quoted';
    const dotted = i === 0 || tokens[first + 2 * i - 1]?.text === '.';
    return name && dotted && fold(token.value) === fold(part);
  });
}

function withTexts(tokens: readonly Token[], replaced: ReadonlyMap<number, { length: number; text: string }>): Token[] {
  const written: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const name = replaced.get(i);
    written.push(name ? { ...token, type: 'quoted', text: name.text, value: name.text } : token);
    if (name) i += name.length - 1;
  }
  return written;
}

/** The name of the catalog that a stub stands for. */
export function behindStub(catalog: string, { stubs }: Pick<SessionCatalog, 'stubs'>): string {
  for (const [name, stub] of stubs) if (fold(stub) === fold(catalog)) return name;
  return catalog;
}
