import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { DATABASE_KINDS, type DatabaseKind, DomainError } from '@gadwall/rbac';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { CreateDatabase, DeleteDatabase, UpdateDatabase } from './database.command';
import { CreateDatabaseDto, DatabasesOfTenantQuery, DeleteDatabaseDto, UpdateDatabaseDto } from './database.dto';
import { DatabaseQuery, type DatabaseResponse } from './database.query';
import type { Setup } from './setup';

/** Databases of tenants. Source: reference/api.md, "Databases and pools". */
@ApiTags('database')
@Controller('api/database')
export class DatabaseController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly databases: DatabaseQuery,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreateDatabaseDto): Promise<Mutated<DatabaseResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    refuseUnsupported({ encrypted: body.encrypted, encryptionKey: body.encryptionKey });
    const { defaults, setup } = split(body);
    const made = await this.commands.execute(
      new CreateDatabase(tenant, caller, {
        name: body.name,
        kind: kindOf(body.kind),
        ...defaults,
        dataPath: body.dataPath || null,
        readOnly: body.readOnly ?? false,
        setup,
      }),
    );
    return made.with(await this.databases.database(tenant, body.name, caller.principal.superuser));
  }

  @Post('update')
  @HttpCode(200)
  async update(@FromCaller() caller: Caller, @Body() body: UpdateDatabaseDto): Promise<Mutated<DatabaseResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    const { defaults, setup } = split(body);
    const change = { name: body.name, ...defaults, setup };
    const changed = await this.commands.execute(new UpdateDatabase(tenant, caller, change));
    return changed.with(await this.databases.database(tenant, body.name, caller.principal.superuser));
  }

  @Post('delete')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Body() body: DeleteDatabaseDto): Promise<Mutated<void>> {
    const tenant = await this.scope.named(caller, body.tenant);
    refuseUnsupported({ purgeManagedData: body.purgeManagedData });
    return this.commands.execute(new DeleteDatabase(tenant, caller, body.name));
  }

  @Get('list')
  async list(
    @FromCaller() caller: Caller,
    @Query() query: DatabasesOfTenantQuery,
  ): Promise<{ databases: DatabaseResponse[] }> {
    const tenant = await this.scope.named(caller, query.tenant);
    return { databases: await this.databases.databases(tenant, caller.principal.superuser) };
  }
}

/** A field that would change what the caller gets must not be ignored in silence. */
function refuseUnsupported(fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value) throw new DomainError('invalid_database', { detail: `${name} is not supported` });
  }
}

function kindOf(kind: string | null | undefined): DatabaseKind {
  const known = DATABASE_KINDS.find((candidate) => candidate === (kind || 'duckdb-file'));
  if (known === undefined) {
    throw new DomainError('invalid_database', { detail: `kind must be one of ${DATABASE_KINDS.join(', ')}` });
  }
  return known;
}

/** Defaults and setup of a body. Clients write the defaults into `metastore` too; empty fields count as absent. */
function split(body: UpdateDatabaseDto): {
  defaults: { defaultDatabase: string | null; defaultSchema: string | null };
  setup: Setup;
} {
  const { dbName, schemaName, ...metastore } = body.metastore ?? {};
  const text = (...values: unknown[]): string | null =>
    values.find((value): value is string => typeof value === 'string' && value !== '') ?? null;
  const filled = (value: Record<string, unknown> | null | undefined): Record<string, unknown> | null =>
    value && Object.keys(value).length > 0 ? value : null;
  return {
    defaults: {
      defaultDatabase: text(body.defaultDatabase, dbName),
      defaultSchema: text(body.defaultSchema, schemaName),
    },
    setup: { initSql: text(body.initSql), metastore: filled(metastore), objectStore: filled(body.objectStore) },
  };
}
