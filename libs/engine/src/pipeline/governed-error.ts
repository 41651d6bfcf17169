import { DuckDBResult } from '@duckdb/node-api';
import { AccessDenied, DomainError } from '@gadwall/rbac';
import { errorText, runError } from '../duckdb';
import { Governed } from './governor';
import { columnsOf } from './running-statement';

/** The kind of error that the engine's text tells. */
const KIND = /([A-Z][A-Za-z ]{2,40}) Error:/;

/**
 * What a statement under policies answers when it fails: the engine's own words may hold a value, or the policy itself
 * (DESIGN section 6, "Side channels").
 */
export function governedError(error: unknown, { raised, tables }: Governed): DomainError {
  const text = errorText(error);
  if (text.includes(raised)) {
    const message = `row policy violated on ${tables.join(', ')}`;
    return new AccessDenied({ rule: 'row-policy', message, objects: [], hint: null });
  }
  const known = runError(error);
  if (known.reason !== 'sql_error' || error instanceof DomainError) return known;
  const kind = KIND.exec(text)?.[1] ?? 'Execution';
  return new DomainError('sql_error', {
    detail: `${kind} Error: the statement failed on a value; which one is not shown, for it reads under policies`,
  });
}

/**
 * A column that the engine names after its text must not show what the text has become.
 *
 * @throws AccessDenied
 */
export function requireNoMarks(result: DuckDBResult, { nonce }: Governed): void {
  if (!columnsOf(result).some(({ name }) => name.includes(nonce))) return;
  const message = 'a column of this statement has no name of its own: give it one with AS';
  throw new AccessDenied({ rule: 'not-described', message, objects: [], hint: null });
}
