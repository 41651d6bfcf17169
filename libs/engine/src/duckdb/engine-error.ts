import { DomainError } from '@gadwall/rbac';

/** Kinds of error of the engine that are the statement's own fault and tell nothing but what it wrote. */
const OWN_FAULT =
  /^(parser|syntax|binder|catalog|conversion|out of range|invalid input|mismatch type|invalid type|constraint)/i;

/** Longest text of the engine that is passed on. */
const MAX_MESSAGE = 400;

/** What the engine says of foreign keys names tables, columns and values that the statement need not: it is said in our words. */
const FOREIGN_KEY = /foreign key|main key table/i;
const OF_FOREIGN_KEY = 'a foreign key does not let this happen';

/**
 * An error text of the engine for the user's eyes: its first line, without the suggestions that name other objects.
 */
function scrub(message: string): string {
  if (FOREIGN_KEY.test(message)) return OF_FOREIGN_KEY;
  const [line = ''] = message.split('\n');
  return line
    .replace(/\s*(Did you mean|Candidate|Possible|Existing).*$/i, '')
    .slice(0, MAX_MESSAGE)
    .trim();
}

/** An error that the engine gave as the value of a plan: its own fault, or null when it says that it has no plan. */
export function planErrorMessage(type: string, message: string): string | null {
  if (!OWN_FAULT.test(type) || /serializ|not implemented|internal/i.test(message)) return null;
  return scrub(message);
}

export function errorText(error: unknown): string {
  // One of another realm is no Error of ours, and names itself.
  return error instanceof Error ? error.message : String(error).replace(/^Error: /, '');
}

/** What a statement that failed while it ran answers. */
export function runError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const message = errorText(error);
  if (/INTERRUPT/i.test(message)) return new DomainError('cancelled');
  if (/INTERNAL Error|FATAL Error/.test(message)) return new DomainError('internal');
  if (/transaction is aborted/i.test(message)) {
    return new DomainError('transaction_failed');
  }
  return new DomainError('sql_error', { detail: scrub(message) });
}
