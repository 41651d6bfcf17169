import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError } from '@gadwall/rbac';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './principal';

/** Who may call a route; one that says nothing is for administrators. */
export type Access = 'public' | 'user' | 'admin' | 'superuser';

const ACCESS = 'gadwall:access';

/** Route for everyone, without a credential; the authentication hook must list its path too. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'public' satisfies Access);

/** Route for every authenticated principal, administrators or not. */
export const ForUsers = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'user' satisfies Access);

/** Route for superusers alone. */
export const ForSuperusers = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'superuser' satisfies Access);

/** Checks every route's {@link Access}: what a route forgets to declare is closed to ordinary users. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'public') return true;
    const { principal } = callerOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (access === 'user') return true;
    if (!principal.admin) throw new DomainError('admin_required');
    if (access === 'superuser' && !principal.superuser) {
      throw new DomainError('superuser_required', { what: 'this call' });
    }
    return true;
  }
}
