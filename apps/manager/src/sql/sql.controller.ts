import { Body, Controller, Delete, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DomainError, type NodeStatement, type PolicyVersions } from '@gadwall/rbac';
import { isAdministration } from '@gadwall/sqladmin';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Audit } from '../audit';
import { type Authenticated, ForUsers, FromPrincipal } from '../auth';
import { domainErrorOf, type ErrorBody, errorBody } from '../errors';
import { SessionDto, SqlDto } from './sql.dto';
import type { ResultFormat } from './statement-call';
import { newQueryId, StatementGateway } from './statement-gateway';
import { NodeRefusal } from './statement-outcome';

/** The SQL door. Source: reference/api.md, "SQL door" and "Errors". */
@ApiTags('sql')
@Controller('api')
@ForUsers()
export class SqlController {
  constructor(
    private readonly gateway: StatementGateway,
    private readonly audit: Audit,
  ) {}

  /** Runs one statement, and streams its rows in the format that Accept asks for. */
  @Post('sql')
  @HttpCode(200)
  async run(
    @FromPrincipal() principal: Authenticated,
    @Body() body: SqlDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const queryId = newQueryId();
    void reply.header('Gadwall-Query-Id', queryId);
    try {
      const {
        contentType,
        policyVersion,
        effective,
        body: rows,
        isTruncated,
      } = await this.gateway.run({
        principal,
        requestId: request.id,
        tenant: tenantOf(body.tenant, principal),
        pool: body.pool,
        sql: body.sql,
        parameters: parametersOf(body.parameters ?? []),
        session: body.session ?? null,
        maxRows: body.maxRows ?? null,
        atLeast: versionsOf(request.headers['gadwall-min-policy-version']),
        format: formatOf(request.headers.accept),
        queryId,
        signal: goneSignal(reply),
      });
      void reply
        .code(effective ? 200 : 202)
        .header('content-type', contentType)
        .header('Gadwall-Policy-Version', policyVersion)
        .header('Trailer', 'Gadwall-Truncated');
      // Fastify's own trailers come too late for a stream.
      rows.once('end', () => reply.raw.addTrailers({ 'Gadwall-Truncated': String(isTruncated()) }));
      await reply.send(rows);
    } catch (error) {
      await this.refuse(error, { queryId, principal, body, reply });
    }
  }

  @Post('session')
  @HttpCode(201)
  async open(@FromPrincipal() principal: Authenticated, @Body() body: SessionDto) {
    const tenant = tenantOf(body.tenant, principal);
    return this.gateway.openSession(principal, tenant, body.pool).catch(asDomainError);
  }

  @Delete('session/:id')
  @HttpCode(204)
  async close(@FromPrincipal() principal: Authenticated, @Param('id') id: string): Promise<void> {
    await this.gateway.closeSession(principal, id);
  }

  private async refuse(
    error: unknown,
    {
      queryId,
      principal,
      body,
      reply,
    }: { queryId: string; principal: Authenticated; body: SqlDto; reply: FastifyReply },
  ): Promise<void> {
    const refusal = error instanceof NodeRefusal ? error : null;
    const domain = refusal ? null : domainErrorOf(error);
    const status = refusal?.status ?? domain?.status ?? 500;
    const answer = refusal?.body ?? errorBody(domain ?? new DomainError('internal'));
    if (domain?.reason === 'internal') throw error;
    if (status === 403) this.recordDenial(principal, body, answer);
    if (reply.sent || reply.raw.destroyed) return;
    if (status === 503) void reply.header('Retry-After', '1');
    await reply
      .code(status)
      .header('content-type', 'application/json; charset=utf-8')
      .send({ ...answer, queryId });
  }

  /** Objects and rule, never the text: a statement may hold secrets. */
  private recordDenial(principal: Authenticated, body: SqlDto, answer: ErrorBody): void {
    const objects = (answer.objects ?? []).map((o) => `${o.catalog}.${o.schema}.${o.name}:${o.access}`);
    void this.audit.record({
      family: isAdministration(body.sql) ? 'control-plane' : 'data-denial',
      action: 'sql.denied',
      actor: principal.userId,
      tenant: principal.tenant ?? body.tenant ?? null,
      target: objects.slice(0, 20).join(', ').slice(0, 1000),
      outcome: 'denied',
      detail: { code: answer.error, rule: answer.rule ?? null },
    });
  }
}

function asDomainError(error: unknown): never {
  if (error instanceof NodeRefusal) {
    throw new DomainError(error.body.error === 'too_many_sessions' ? 'too_many_sessions' : 'pool_unavailable');
  }
  throw error;
}

function tenantOf(tenant: string | null | undefined, principal: Authenticated): string {
  const named = tenant ?? principal.tenant;
  if (named === null) throw new DomainError('invalid_request', { detail: 'tenant must be given' });
  return named;
}

function parametersOf(values: unknown[]): NodeStatement['parameters'] {
  return values.map((value, i) => {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return value;
    }
    throw new DomainError('invalid_parameters', {
      detail: `parameter ${i + 1} must be a text, a number, a boolean or null`,
    });
  });
}

/** `Gadwall-Min-Policy-Version`, in the form of `Gadwall-Policy-Version`: `tenant=12, system=3`, either may be left out. */
function versionsOf(header: string | string[] | undefined): PolicyVersions | null {
  if (header === undefined) return null;
  const parts = String(header)
    .split(',')
    .map((part) => /^\s*(tenant|system)=(\d{1,15})\s*$/.exec(part));
  if (parts.some((part) => part === null)) {
    throw new DomainError('invalid_request', { detail: 'Gadwall-Min-Policy-Version must be like tenant=12, system=3' });
  }
  const of = (name: string) => Number(parts.find((part) => part?.[1] === name)?.[2] ?? 0);
  return { tenant: of('tenant'), system: of('system') };
}

const FORMATS: readonly [string, ResultFormat][] = [
  ['application/vnd.apache.arrow.stream', 'arrow'],
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
];

/** The first media type of Accept that the door has; JSON where none is asked for. */
function formatOf(accept: string | undefined): ResultFormat {
  if (accept === undefined || accept.trim() === '') return 'json';
  for (const part of accept.split(',')) {
    const media = part.split(';', 1)[0]?.trim().toLowerCase();
    const found = FORMATS.find(([type]) => type === media);
    if (found) return found[1];
  }
  throw new DomainError('not_acceptable');
}

/** Aborted when the client goes before it has its answer. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
