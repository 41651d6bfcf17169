import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { domainErrorOf, errorBody } from './error-body';

/** Answers every error with a body of the catalogue; what a fault of ours was goes to the log alone. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('error');

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = domainErrorOf(error);
    if (refusal.reason === 'internal') this.logger.error(describe(error));
    // Once rows stream out there is no status to give any more.
    if (reply.sent) return;
    void reply.code(refusal.status).header('content-type', 'application/json; charset=utf-8').send(errorBody(refusal));
  }
}

/** An error for the log: type, code and stack. A database error's `detail` quotes values, so it stays out. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'something that is no Error was thrown' };
  const { code } = error as { code?: unknown };
  return { message: error.message, name: error.name, code, stack: error.stack };
}
