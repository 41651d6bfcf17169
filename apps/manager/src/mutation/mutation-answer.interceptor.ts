import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { PolicyVersions } from '@gadwall/rbac';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable, of } from 'rxjs';
import type { BarrierOutcome } from '../leases';
import { Mutated } from './mutated';

/** Answers mutations: when they are in force, or at once with `?wait=false`. Source: reference/api.md, "Mutations". */
@Injectable()
export class MutationAnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(mergeMap((value: unknown) => (value instanceof Mutated ? answer(value, context) : of(value))));
  }
}

async function answer(
  { result, versions, barrier }: Mutated<unknown>,
  context: ExecutionContext,
): Promise<Record<string, unknown>> {
  const http = context.switchToHttp();
  const { wait, barrier: detail } = http.getRequest<FastifyRequest>().query as Record<string, unknown>;
  const outcome = wait === 'false' ? { ...barrier.report(), effective: false } : await barrier.settled;
  const reply = http.getResponse<FastifyReply>();
  void reply.header('Gadwall-Policy-Version', policyVersionHeader(versions));
  if (!outcome.effective) void reply.code(202);
  const { effective } = outcome;
  const policy = detail === 'verbose' || !effective ? { policy: policyOf(versions, outcome) } : {};
  return { ...(result as object | undefined), effective, ...policy };
}

/** The header's value. Source: reference/api.md, "Mutations". */
export function policyVersionHeader({ tenant, system }: PolicyVersions): string {
  return `tenant=${tenant}, system=${system}`;
}

/** `remainingMs`: after that long it is in force, whatever becomes of the nodes that are outstanding. */
function policyOf(policyVersion: PolicyVersions, { effective, waitedMs, remainingMs, nodes }: BarrierOutcome) {
  const rest = effective ? {} : { remainingMs: Math.ceil(remainingMs) };
  return {
    policyVersion,
    effective,
    waitedMs: round(waitedMs),
    ...rest,
    nodes: nodes.map((node) => ({ ...node, ms: round(node.ms) })),
  };
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
