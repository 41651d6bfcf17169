import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import {
  CreateColumnPolicy,
  DeleteColumnPolicy,
  type MadeColumnPolicy,
  UpdateColumnPolicy,
} from './column-policy.command';
import {
  ColumnPoliciesOfRoleQuery,
  ColumnPolicyIdDto,
  CreateColumnPolicyDto,
  UpdateColumnPolicyDto,
} from './column-policy.dto';
import { ColumnPolicyQuery, type ColumnPolicyResponse } from './column-policy.query';

/** What a policy that was made or changed is, with what its author should know. */
type MadeResponse = ColumnPolicyResponse & { warnings: string[] };

/** What roles see of columns. Source: qod-api.md 1.3. */
@ApiTags('role')
@Controller('api/role/column-policy')
export class ColumnPolicyController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly policies: ColumnPolicyQuery,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreateColumnPolicyDto): Promise<Mutated<MadeResponse>> {
    const tenant = await this.scope.locateInTenant(caller, 'role', body.roleId);
    const place = {
      roleId: body.roleId,
      catalog: body.catalogName ?? '*',
      schema: body.schemaName ?? '*',
      table: body.tableName ?? '*',
      column: body.columnName,
    };
    const rule = { action: body.action, transformSql: body.transformSql ?? null };
    return this.answer(tenant, await this.commands.execute(new CreateColumnPolicy(tenant, caller, place, rule)));
  }

  @Post('update')
  @HttpCode(200)
  async update(@FromCaller() caller: Caller, @Body() body: UpdateColumnPolicyDto): Promise<Mutated<MadeResponse>> {
    const tenant = await this.scope.locateInTenant(caller, 'role_column_policy', body.id);
    const { roleId, catalogName, schemaName, tableName, columnName } = await this.policies.policy(tenant, body.id);
    const place = { roleId, catalog: catalogName, schema: schemaName, table: tableName, column: columnName };
    const rule = { action: body.action, transformSql: body.transformSql ?? null };
    const command = new UpdateColumnPolicy(tenant, caller, body.id, place, rule);
    return this.answer(tenant, await this.commands.execute(command));
  }

  @Post('delete')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Body() { id }: ColumnPolicyIdDto): Promise<Mutated<void>> {
    const tenant = await this.scope.locateInTenant(caller, 'role_column_policy', id);
    return this.commands.execute(new DeleteColumnPolicy(tenant, caller, id));
  }

  @Get('list')
  async list(
    @FromCaller() caller: Caller,
    @Query() { roleId }: ColumnPoliciesOfRoleQuery,
  ): Promise<{ policies: ColumnPolicyResponse[] }> {
    const tenant = await this.scope.locateInTenant(caller, 'role', roleId);
    return { policies: await this.policies.policies(tenant, roleId) };
  }

  private async answer(tenant: string, made: Mutated<MadeColumnPolicy>): Promise<Mutated<MadeResponse>> {
    const { id, warnings } = made.result;
    return made.with({ ...(await this.policies.policy(tenant, id)), warnings });
  }
}
