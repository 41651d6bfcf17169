import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PolicyVersions } from '@gadwall/rbac';
import { map, type Observable } from 'rxjs';

export type { PolicyVersions };

/** What a mutation gave, with the versions after it. */
export class Mutated<T> {
  constructor(
    readonly result: T,
    readonly versions: PolicyVersions,
  ) {}

  /** The same mutation with another answer. */
  with<U>(result: U): Mutated<U> {
    return new Mutated(result, this.versions);
  }
}

/** The header's value. Source: reference/api.md, "Mutations". */
function policyVersionHeader({ tenant, system }: PolicyVersions): string {
  return `tenant=${tenant}, system=${system}`;
}

/** Puts `Gadwall-Policy-Version` on the answer of every mutation. */
@Injectable()
export class PolicyVersionInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((value: unknown) => {
        if (!(value instanceof Mutated)) return value;
        const reply = context.switchToHttp().getResponse<FastifyReply>();
        void reply.header('Gadwall-Policy-Version', policyVersionHeader(value.versions));
        return value.result as unknown;
      }),
    );
  }
}
