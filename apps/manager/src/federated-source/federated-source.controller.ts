import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { DomainError, SOURCE_TYPES, type SourceType } from '@gadwall/rbac';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { CreateSource, DeleteSource } from './federated-source.command';
import { CreateSourceDto, DatabasePathDto, SourcePathDto } from './federated-source.dto';
import { FederatedSourceQuery, type FederatedSourceResponse } from './federated-source.query';

/** Federated sources of databases: superusers declare them, administrators see them. Source: qod-cli.md, "federation". */
@ApiTags('federated-source')
@Controller('api/tenants/:tenant/tenant-dbs/:tenantDb/federated-sources')
export class FederatedSourceController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly sources: FederatedSourceQuery,
  ) {}

  @Post()
  @HttpCode(201)
  async create(
    @FromCaller() caller: Caller,
    @Param() of: DatabasePathDto,
    @Body() body: CreateSourceDto,
  ): Promise<Mutated<FederatedSourceResponse>> {
    const tenant = await this.scope.named(caller, of.tenant);
    refuseUnsupported(body);
    const { alias, description } = body;
    const made = await this.commands.execute(
      new CreateSource(tenant, caller, {
        database: of.tenantDb,
        alias,
        sourceType: typeOf(body.sourceType),
        path: pathIn(body.config),
        description: description ?? null,
      }),
    );
    return made.with(await this.sources.source(tenant, of.tenantDb, alias, caller.principal.superuser));
  }

  @Get()
  async list(
    @FromCaller() caller: Caller,
    @Param() of: DatabasePathDto,
  ): Promise<{ sources: FederatedSourceResponse[] }> {
    const tenant = await this.scope.named(caller, of.tenant);
    return { sources: await this.sources.sources(tenant, of.tenantDb, caller.principal.superuser) };
  }

  @Get(':alias')
  async get(@FromCaller() caller: Caller, @Param() of: SourcePathDto): Promise<FederatedSourceResponse> {
    const tenant = await this.scope.named(caller, of.tenant);
    return this.sources.source(tenant, of.tenantDb, of.alias, caller.principal.superuser);
  }

  @Delete(':alias')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Param() of: SourcePathDto): Promise<Mutated<void>> {
    const tenant = await this.scope.named(caller, of.tenant);
    return this.commands.execute(new DeleteSource(tenant, caller, of.tenantDb, of.alias));
  }
}

/** A field that would change what the caller gets must not be ignored in silence. */
function refuseUnsupported({ disabled, setupSql, connection, readOnly }: CreateSourceDto): void {
  for (const [name, value] of Object.entries({ disabled, setupSql, connection })) {
    if (value) throw new DomainError('invalid_source', { detail: `${name} is not supported` });
  }
  if (readOnly === false) throw new DomainError('invalid_source', { detail: 'a source is read-only, always' });
}

function typeOf(type: string | null | undefined): SourceType {
  const known = SOURCE_TYPES.find((candidate) => candidate === (type || 'duckdb'));
  if (known === undefined) {
    throw new DomainError('invalid_source', { detail: `sourceType must be one of ${SOURCE_TYPES.join(', ')}` });
  }
  return known;
}

function pathIn(config: Record<string, unknown> | null | undefined): string {
  const { path, ...others } = config ?? {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new DomainError('invalid_source', { detail: `config has no field ${unknown}` });
  return typeof path === 'string' ? path : '';
}
