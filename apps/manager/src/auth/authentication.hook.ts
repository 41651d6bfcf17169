import type { FastifyInstance, FastifyRequest } from 'fastify';
import { domainErrorOf, errorBody } from '../errors';
import { DomainError } from '@gadwall/rbac';
import type { Authentication } from './authentication';

/**
 * The only paths that are served without a credential, compared with the raw path: whatever is written another way
 * (percent-encoded, doubled slashes, another case) or is not known needs one. Source: reference/pitfalls.md, 42.
 */
const PUBLIC_PATHS: ReadonlySet<string> = new Set([
  '/health',
  '/ready',
  '/api/auth/login',
  '/api/auth/mode',
  '/api/auth/change-password',
  '/api/config/client',
  '/api/docs',
  '/api/docs-json',
]);

/** The files of the page under /api/docs. */
const DOCUMENTATION_FILE = /^\/api\/docs\/[\w.-]+$/;

const isPublic = (path: string): boolean => PUBLIC_PATHS.has(path) || DOCUMENTATION_FILE.test(path);

/** The credential of a request: `X-API-Key`, else `Authorization: Bearer`; null when there is none. */
function credentialOf(request: FastifyRequest): string | null {
  const key = request.headers['x-api-key'];
  if (key !== undefined) return Array.isArray(key) ? null : key;
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
  return bearer?.[1] ?? null;
}

/** Authenticates every request before anything else happens to it, routed or not. */
export function installAuthentication(server: FastifyInstance, authentication: Authentication): void {
  server.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (isPublic(path)) return;
    try {
      const credential = credentialOf(request);
      if (credential === null || credential === '') throw new DomainError('no_session');
      request.principal = await authentication.principalOf(credential);
    } catch (error) {
      const refusal = domainErrorOf(error);
      if (refusal.reason === 'internal') request.log.error({ err: error }, 'authentication failed');
      return reply.code(refusal.status).send(errorBody(refusal));
    }
  });
}
