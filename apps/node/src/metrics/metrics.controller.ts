import { mayScrape } from '@gadwall/link';
import { Controller, Get, Headers, Inject, Ip, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PolicyMetrics } from './policy-metrics';

/** The token with which a caller from elsewhere reads metrics; null: none does. */
export const METRICS_TOKEN = Symbol('metrics token');

/** For Prometheus. */
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: PolicyMetrics,
    @Inject(METRICS_TOKEN) private readonly token: string | null,
  ) {}

  @Get()
  async read(
    @Ip() caller: string,
    @Headers('authorization') authorization: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!mayScrape(caller, authorization, this.token)) return void (await reply.code(401).send());
    await reply.type(this.metrics.contentType).send(await this.metrics.text());
  }
}
