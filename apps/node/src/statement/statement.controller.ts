import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { NodeSessionAnswer, NodeSessionRequest, NodeStatement, SESSION_STATEMENT } from '@gadwall/rbac';
import type { FastifyReply } from 'fastify';
import { Admission } from '../admission';
import { Drain } from '../drain';
import { SessionStore } from '../session';
import { BodyPipe } from './body.pipe';
import { StatementService } from './statement.service';

/** The node's own routes; every call is vouched for by a handle that a manager signed with this node's key. */
@Controller('internal')
export class StatementController {
  constructor(
    private readonly statements: StatementService,
    private readonly sessions: SessionStore,
    private readonly admission: Admission,
    private readonly drain: Drain,
  ) {}

  @Post('statement')
  @HttpCode(200)
  async run(@Body(BodyPipe) request: NodeStatement, @Res() reply: FastifyReply): Promise<void> {
    const gone = new AbortController();
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const onClose = (listener: () => void) => (reply.raw.closed ? listener() : reply.raw.once('close', listener));
    const answer = await this.statements.run(request, gone.signal, onClose);
    onClose(() => answer.body.destroy());
    // Fastify's own trailers come too late for a stream.
    answer.body.once('end', () => reply.raw.addTrailers({ 'gadwall-truncated': String(answer.isTruncated()) }));
    const { tenant, system } = answer.policyVersion;
    await reply
      .header('content-type', answer.contentType)
      .header('gadwall-policy-version', `tenant=${tenant}, system=${system}`)
      .header('trailer', 'gadwall-truncated')
      .send(answer.body);
  }

  @Post('session')
  async open(@Body(BodyPipe) request: NodeSessionRequest): Promise<NodeSessionAnswer> {
    const { userId, tenant, poolId } = this.owner(request.handle);
    this.drain.enter(null)();
    const { idleTimeoutSec, absoluteTimeoutSec } = request;
    const session = await this.sessions.open({ userId, tenant, poolId }, idleTimeoutSec, absoluteTimeoutSec);
    return { session: session.id };
  }

  @Post('session/:id/close')
  @HttpCode(204)
  close(@Param('id') id: string, @Body(BodyPipe) request: { handle: string }): void {
    this.sessions.close(id, this.owner(request.handle));
  }

  private owner(handle: string) {
    return this.admission.admitSession(handle, SESSION_STATEMENT);
  }
}
