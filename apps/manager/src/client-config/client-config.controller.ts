import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../auth';
import { MANAGER_CONFIG, MANAGER_VERSION, type ManagerConfig } from '../config';

/** Where a client finds the doors. Source: reference/api.md. */
interface ClientConfigResponse {
  managerVersion: string;
  flightSqlHost: string;
  flightSqlPort: number | null;
  flightSqlTls: boolean;
  sqlUrl: string;
}

/** What clients must know before they log in. */
@ApiTags('config')
@Controller('api/config')
export class ClientConfigController {
  constructor(@Inject(MANAGER_CONFIG) private readonly config: ManagerConfig) {}

  @Get('client')
  @Public()
  client(@Req() request: FastifyRequest): ClientConfigResponse {
    const { flightSql } = this.config;
    return {
      managerVersion: MANAGER_VERSION,
      flightSqlHost: flightSql?.host ?? '',
      flightSqlPort: flightSql?.port ?? null,
      flightSqlTls: flightSql?.tls ?? false,
      sqlUrl: `${request.protocol}://${request.host}/api/sql`,
    };
  }
}
