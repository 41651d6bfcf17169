import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Queryable } from '@gadwall/events';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth';
import { READS } from '../postgres';

/** For whoever watches the process. */
@ApiTags('health')
@Controller()
export class HealthController {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  /** The process answers. */
  @Get('health')
  @Public()
  health(): { status: string } {
    return { status: 'ok' };
  }

  /** The process can serve: its database answers. */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<{ status: string }> {
    try {
      await this.db.query('SELECT 1');
      return { status: 'ready' };
    } catch {
      void reply.code(503);
      return { status: 'database unavailable' };
    }
  }
}
