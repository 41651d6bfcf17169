import { AccessDenied, DomainError, Verdict } from '@gadwall/rbac';
import { type OpenTransaction } from '../session';
import { StatementRequest } from './statement-request';

/** The set is, or was while something was changed in the transaction, another than now. */
export function hasMoved({ digest, changes }: OpenTransaction, now: string): boolean {
  return digest !== now || changes.some((change) => change.digest !== now);
}

/**
 * A refusal inside a transaction whose set has changed since it began ends it (seed 000, "Revocation and the policy
 * version"); any other one leaves it open.
 */
export function refusal(
  judged: Extract<Verdict, { allow: false }>,
  { session, digest }: StatementRequest,
): DomainError {
  const open = session?.transaction;
  if (!open || !hasMoved(open, digest)) return new AccessDenied(judged);
  open.aborted = judged.message;
  return new DomainError('transaction_aborted', { reason: judged.message });
}
