import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '@gadwall/rbac';
import type { FastifyRequest } from 'fastify';

/** Who a request comes from. */
export interface Authenticated {
  /** null = the static key, which is no user. */
  userId: string | null;
  username: string;
  /** null = superuser. */
  tenant: string | null;
  superuser: boolean;
  /** May administer: every superuser, and a tenant's users of kind admin. */
  admin: boolean;
  /** SHA-256 of the session's token; null = the static key. */
  sessionId: string | null;
}

/** Who asks, and under which id the request is logged and recorded. */
export interface Caller {
  principal: Authenticated;
  requestId: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication hook on every request but public ones. */
    principal?: Authenticated;
  }
}

/** The caller of a request; 401 when there is none. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.principal === undefined) throw new DomainError('no_session');
  return { principal: request.principal, requestId: request.id };
}

/** Parameter decorator: the {@link Caller} of the request. */
export const FromCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Parameter decorator: the {@link Authenticated} principal of the request. */
export const FromPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) => callerOf(context.switchToHttp().getRequest<FastifyRequest>()).principal,
);
