import { DomainError, type ErrorReason } from '@gadwall/rbac';

/** Constraints whose violation says something to a client; decisions find most of them first, under the stream's lock. */
const REASONS: Readonly<Record<string, ErrorReason>> = {
  user_profile_current_username_key: 'user_exists',
  tenant_db_data_path_key: 'path_in_use',
  tenant_pkey: 'conflict',
};

const UNIQUE_VIOLATION = '23505';

interface DatabaseError {
  code: string;
  constraint?: string;
}

const isDatabaseError = (error: unknown): error is DatabaseError =>
  typeof error === 'object' && error !== null && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));

/** The refusal that a database error stands for; null when it is a fault of ours. */
export function refusalOf(error: unknown): DomainError | null {
  if (!isDatabaseError(error) || error.code !== UNIQUE_VIOLATION) return null;
  return new DomainError(REASONS[error.constraint ?? ''] ?? 'conflict');
}
