import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { CreateRowPolicy, DeleteRowPolicy, UpdateRowPolicy } from './row-policy.command';
import { CreateRowPolicyDto, RowPoliciesOfRoleQuery, RowPolicyIdDto, UpdateRowPolicyDto } from './row-policy.dto';
import { RowPolicyQuery, type RowPolicyResponse } from './row-policy.query';

/** Predicates of roles contradict nothing: they add up. */
type MadeResponse = RowPolicyResponse & { warnings: string[] };

/** Which rows roles see. Source: qod-api.md 1.3. */
@ApiTags('role')
@Controller('api/role/row-policy')
export class RowPolicyController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly policies: RowPolicyQuery,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreateRowPolicyDto): Promise<Mutated<MadeResponse>> {
    const tenant = await this.scope.locateInTenant(caller, 'role', body.roleId);
    const place = {
      roleId: body.roleId,
      catalog: body.catalogName ?? '*',
      schema: body.schemaName ?? '*',
      table: body.tableName ?? '*',
    };
    const made = await this.commands.execute(new CreateRowPolicy(tenant, caller, place, body.predicateSql));
    return made.with({ ...(await this.policies.policy(tenant, made.result)), warnings: [] });
  }

  @Post('update')
  @HttpCode(200)
  async update(@FromCaller() caller: Caller, @Body() body: UpdateRowPolicyDto): Promise<Mutated<MadeResponse>> {
    const { id, predicateSql } = body;
    const tenant = await this.scope.locateInTenant(caller, 'role_row_policy', id);
    const { catalogName, schemaName, tableName } = await this.policies.policy(tenant, id);
    const place = { catalog: catalogName, schema: schemaName, table: tableName };
    const changed = await this.commands.execute(new UpdateRowPolicy(tenant, caller, id, place, predicateSql));
    return changed.with({ ...(await this.policies.policy(tenant, id)), warnings: [] });
  }

  @Post('delete')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Body() { id }: RowPolicyIdDto): Promise<Mutated<void>> {
    const tenant = await this.scope.locateInTenant(caller, 'role_row_policy', id);
    return this.commands.execute(new DeleteRowPolicy(tenant, caller, id));
  }

  @Get('list')
  async list(
    @FromCaller() caller: Caller,
    @Query() { roleId }: RowPoliciesOfRoleQuery,
  ): Promise<{ policies: RowPolicyResponse[] }> {
    const tenant = await this.scope.locateInTenant(caller, 'role', roleId);
    return { policies: await this.policies.policies(tenant, roleId) };
  }
}
