import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { DomainError } from '@gadwall/rbac';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { ChangePool, CreatePool } from './pool.command';
import { CreatePoolDto, DisablePoolDto, EndPoolDto, PoolNameDto, PoolsQuery, ScalePoolDto } from './pool.dto';
import { PoolQuery, type PoolResponse } from './pool.query';

/** Pools. Source: reference/api.md, "Databases and pools". */
@ApiTags('pool')
@Controller('api/pool')
export class PoolController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly pools: PoolQuery,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreatePoolDto): Promise<Mutated<PoolResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    refuseUnsupported(body);
    const plan = {
      ...nameOf(body),
      size: body.size,
      disabled: body.disabled ?? false,
      initSql: body.initSql || null,
      idleTimeoutSec: body.idleTimeoutSec === -1 ? null : (body.idleTimeoutSec ?? null),
      maxConcurrentPerNode: body.maxConcurrentPerNode || null,
      statementTimeoutMs: body.statementTimeoutMs || null,
      maxRows: body.maxRows ?? null,
    };
    const made = await this.commands.execute(new CreatePool(tenant, caller, plan));
    return made.with(await this.pools.pool(tenant, body.tenantDb, body.pool));
  }

  @Post('scale')
  @HttpCode(200)
  async scale(@FromCaller() caller: Caller, @Body() body: ScalePoolDto): Promise<Mutated<PoolResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    const change = { type: 'scale-pool', ...nameOf(body), size: body.targetSize } as const;
    const scaled = await this.commands.execute(new ChangePool(tenant, caller, change));
    return scaled.with(await this.pools.pool(tenant, body.tenantDb, body.pool));
  }

  @Post('stop')
  @HttpCode(200)
  async stop(@FromCaller() caller: Caller, @Body() body: EndPoolDto): Promise<Mutated<void>> {
    const tenant = await this.scope.named(caller, body.tenant);
    return this.commands.execute(new ChangePool(tenant, caller, { type: 'stop-pool', ...nameOf(body) }));
  }

  @Post('delete')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Body() body: EndPoolDto): Promise<Mutated<void>> {
    const tenant = await this.scope.named(caller, body.tenant);
    return this.commands.execute(new ChangePool(tenant, caller, { type: 'delete-pool', ...nameOf(body) }));
  }

  @Post('setDisabled')
  @HttpCode(200)
  async setDisabled(@FromCaller() caller: Caller, @Body() body: DisablePoolDto): Promise<Mutated<PoolResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    const change = { type: 'switch-pool', ...nameOf(body), disabled: body.disabled } as const;
    const switched = await this.commands.execute(new ChangePool(tenant, caller, change));
    return switched.with(await this.pools.pool(tenant, body.tenantDb, body.pool));
  }

  @Get('list')
  async list(@FromCaller() caller: Caller, @Query() { tenant }: PoolsQuery): Promise<{ pools: PoolResponse[] }> {
    const named = tenant ? await this.scope.named(caller, tenant) : caller.principal.tenant;
    return { pools: await this.pools.pools(named) };
  }

  @Get(':tenant/:tenantDb/:pool/status')
  async status(@FromCaller() caller: Caller, @Param() named: PoolNameDto): Promise<PoolResponse> {
    const tenant = await this.scope.named(caller, named.tenant);
    return this.pools.pool(tenant, named.tenantDb, named.pool);
  }
}

const nameOf = ({ tenantDb, pool }: PoolNameDto): { database: string; pool: string } => ({ database: tenantDb, pool });

/** A field that would change what the caller gets must not be ignored in silence. */
function refuseUnsupported(body: CreatePoolDto): void {
  const { cpu, memory, podTemplateYaml, startSuspended, cohorts, minNodes, maxNodes, lockdown } = body;
  const fields = { cpu, memory, podTemplateYaml, startSuspended, cohorts: cohorts?.length, minNodes, maxNodes };
  for (const [name, value] of Object.entries(fields)) {
    if (value) throw new DomainError('invalid_pool', { detail: `${name} is not supported` });
  }
  if (lockdown === 'off') throw new DomainError('invalid_pool', { detail: 'nodes are always locked down' });
}
