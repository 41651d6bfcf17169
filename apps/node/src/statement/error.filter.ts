import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { AccessDenied, DomainError } from '@gadwall/rbac';
import type { FastifyReply } from 'fastify';

/** Refusals in the shape of the catalogue; anything else is an internal error, told to the log alone. */
@Catch()
export class NodeErrorFilter implements ExceptionFilter {
  private readonly log = new Logger('node');

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error instanceof HttpException) {
      void reply.status(error.getStatus()).send({ error: 'invalid_request', message: error.message });
      return;
    }
    const refused = error instanceof DomainError ? error : new DomainError('internal');
    if (refused !== error) this.log.error(error instanceof Error ? error.stack : String(error));
    const { code, message, hint, retryable, status } = refused;
    const detail = refused instanceof AccessDenied ? { rule: refused.rule, objects: refused.objects } : {};
    void reply.status(status).send({ error: code, message, ...detail, hint, retryable });
  }
}
