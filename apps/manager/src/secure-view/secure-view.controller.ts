import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, FromCaller } from '../auth';
import { TenantScope } from '../mutation';
import { SecureViewsOfTenantQuery } from './secure-view.dto';
import { SecureViewQuery, type SecureViewResponse } from './secure-view.query';

/** Secure views: superusers make them in SQL, administrators see those of their tenant. */
@ApiTags('secure-view')
@Controller('api/secure-view')
export class SecureViewController {
  constructor(
    private readonly scope: TenantScope,
    private readonly views: SecureViewQuery,
  ) {}

  @Get('list')
  async list(
    @FromCaller() caller: Caller,
    @Query() query: SecureViewsOfTenantQuery,
  ): Promise<{ secureViews: SecureViewResponse[] }> {
    return { secureViews: await this.views.views(await this.scope.named(caller, query.tenant)) };
  }
}
