import { DomainError, type ErrorReason } from '@gadwall/rbac';

/** Unique constraints whose violation says something; decisions find most of them first, under the stream's lock. */
const CONSTRAINTS: Readonly<Record<string, ErrorReason>> = {
  user_profile_current_username_key: 'user_exists',
  tenant_db_data_path_key: 'path_in_use',
};

const UNIQUE_VIOLATION = '23505';
/** Deadlock, serialization failure: nothing changed, and the same request can succeed. */
const CONCURRENCY = ['40P01', '40001'];
/** Text that PostgreSQL does not hold: NUL, lone surrogates. */
const TEXT = ['22021', '22P05', '22P02'];
/** The server went, refuses connections or has none left. */
const OUTAGE = /^(08...|28...|3D000|57P0.|53300|ECONN(REFUSED|RESET)|ETIMEDOUT|EPIPE|ENOTFOUND)$/;
/** What the driver says without a code when a connection breaks or none is free in time. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** The refusal that a database error stands for; null when it is a fault of ours. */
export function refusalOf(error: unknown): DomainError | null {
  if (!(error instanceof Error)) return null;
  const { code, constraint } = error as { code?: unknown; constraint?: string };
  if (typeof code !== 'string') return LOST.test(error.message) ? new DomainError('unavailable') : null;
  if (code === UNIQUE_VIOLATION) return new DomainError(CONSTRAINTS[constraint ?? ''] ?? 'conflict');
  if (CONCURRENCY.includes(code)) return new DomainError('conflict');
  if (TEXT.includes(code)) {
    return new DomainError('invalid_request', { detail: 'a text holds characters that cannot be stored' });
  }
  return OUTAGE.test(code) ? new DomainError('unavailable') : null;
}
