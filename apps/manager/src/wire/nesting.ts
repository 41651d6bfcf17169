import { DomainError } from '@gadwall/rbac';
import type { FastifyInstance } from 'fastify';
import { errorBody } from '../errors';

/** Deeper than any body of the API; what walks bodies does so recursively. */
const DEEPEST = 64;

/** True if a JSON value has more levels of objects and arrays than that. */
function deeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item): unknown[] => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** Refuses bodies that are nested deeper than any body of the API is. */
export function limitNesting(server: FastifyInstance): void {
  server.addHook('preValidation', async (request, reply) => {
    if (!deeperThan(request.body, DEEPEST)) return;
    const refusal = new DomainError('malformed_request');
    return reply.code(refusal.status).send(errorBody(refusal));
  });
}
