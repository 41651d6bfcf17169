import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Queryable } from '@gadwall/events';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth';
import { KillSwitches } from '../effective-set';
import { READS } from '../postgres';

/** For whoever watches the process. */
@ApiTags('health')
@Controller()
export class HealthController {
  constructor(
    @Inject(READS) private readonly db: Queryable,
    private readonly switches: KillSwitches,
  ) {}

  /** The process answers. */
  @Get('health')
  @Public()
  health(): { status: string } {
    return { status: 'ok' };
  }

  /** The process can serve: its database answers. `off`: policies that are switched off, absent when none is. */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<{ status: string; off?: string[] }> {
    const { off } = this.switches;
    try {
      await this.db.query('SELECT 1');
      return off.length > 0 ? { status: 'ready', off } : { status: 'ready' };
    } catch {
      void reply.code(503);
      return { status: 'database unavailable' };
    }
  }
}
