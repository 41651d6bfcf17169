import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, FromCaller } from '../auth';
import { type Located, type Mutated, TenantScope } from '../mutation';
import { GrantPool, RevokePool } from './pool-permission.command';
import { GrantPoolDto, PoolGrantIdDto, PoolGrantsQuery } from './pool-permission.dto';
import { type PoolGrantResponse, PoolPermissionQuery } from './pool-permission.query';

/** Pool grants. Source: qod-api.md 1.3. */
@ApiTags('pool')
@Controller('api/pool/permission')
export class PoolPermissionController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly grants: PoolPermissionQuery,
  ) {}

  @Post('grant')
  @HttpCode(200)
  async grant(@FromCaller() caller: Caller, @Body() body: GrantPoolDto): Promise<Mutated<PoolGrantResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    const { poolId = null, userId = null, groupId = null } = body;
    await this.requireEnds(caller, { pool: poolId, app_user: userId, app_group: groupId });
    const granted = await this.commands.execute(new GrantPool(tenant, caller, { poolId, userId, groupId }));
    return granted.with(await this.grants.grant(tenant, granted.result));
  }

  @Post('revoke')
  @HttpCode(200)
  async revoke(@FromCaller() caller: Caller, @Body() { id }: PoolGrantIdDto): Promise<Mutated<void>> {
    const tenant = await this.scope.locateInTenant(caller, 'pool_permission', id);
    const { userId } = await this.grants.grant(tenant, id);
    return this.commands.execute(new RevokePool(tenant, caller, id, userId));
  }

  @Get('list')
  async list(
    @FromCaller() caller: Caller,
    @Query() { tenant, userId, groupId }: PoolGrantsQuery,
  ): Promise<{ permissions: PoolGrantResponse[] }> {
    const named = tenant ? await this.scope.named(caller, tenant) : caller.principal.tenant;
    await this.requireEnds(caller, { app_user: userId ?? null, app_group: groupId ?? null });
    return { permissions: await this.grants.grants(named, { userId: userId ?? null, groupId: groupId ?? null }) };
  }

  /** Each id given must be of a thing within the caller's scope; the tenant's own check comes with the decision. */
  private async requireEnds(caller: Caller, ends: Partial<Record<Located, string | null>>): Promise<void> {
    for (const [table, id] of Object.entries(ends) as [Located, string | null][]) {
      if (id !== null) await this.scope.locate(caller, table, id);
    }
  }
}
