import { HttpException } from '@nestjs/common';
import { AccessDenied, DomainError } from '@gadwall/rbac';
import { refusalOf } from './database-error';

/** The body of every error answer. Source: reference/api.md, "Errors". */
export interface ErrorBody {
  error: string;
  message: string;
  /** Of a refusal by the rules of SQL. */
  rule?: AccessDenied['rule'];
  objects?: AccessDenied['objects'];
  hint?: string;
  retryable?: boolean;
}

/** The body of an error of the catalogue. */
export function errorBody(error: DomainError): ErrorBody {
  const { code, message, hint, retryable } = error;
  const { rule, objects } = error instanceof AccessDenied ? error : {};
  return { error: code, message, rule, objects, hint, retryable };
}

/** The error of the catalogue that anything thrown stands for; `internal` when it is a fault of ours. */
export function domainErrorOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  switch (status) {
    case 400:
      return new DomainError('malformed_request');
    case 404:
    case 405:
      return new DomainError('not_found');
    case 413:
      return new DomainError('payload_too_large');
    case 415:
      return new DomainError('unsupported_media_type');
    default:
      return refusalOf(error) ?? new DomainError('internal');
  }
}

/** Status that Fastify gave to a request it could not take; its own text may quote the body, so it is not used. */
function statusOf(error: unknown): number | null {
  const fastify = error as { code?: unknown; statusCode?: unknown } | null;
  const ofFastify = typeof fastify?.code === 'string' && fastify.code.startsWith('FST_');
  if (ofFastify && typeof fastify.statusCode === 'number') return fastify.statusCode;
  // A body that is not JSON: the parser's own SyntaxError with a status.
  return error instanceof SyntaxError && fastify?.statusCode === 400 ? 400 : null;
}
