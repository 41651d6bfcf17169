import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { GrantPermission, RevokePermission } from './permission.command';
import { CreateRole, DeleteRole } from './role.command';
import {
  CreateRoleDto,
  GrantPermissionDto,
  PermissionIdDto,
  PermissionsOfRoleQuery,
  RoleIdDto,
  RolesOfTenantQuery,
} from './role.dto';
import { type PermissionResponse, RoleQuery, type RoleResponse } from './role.query';

/** Roles and their table permissions. Source: qod-api.md 1.3. */
@ApiTags('role')
@Controller('api/role')
export class RoleController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly roles: RoleQuery,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreateRoleDto): Promise<Mutated<RoleResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    const made = await this.commands.execute(new CreateRole(tenant, caller, body.name, body.description ?? null));
    return made.with(await this.roles.role(tenant, made.result));
  }

  @Post('delete')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Body() { id }: RoleIdDto): Promise<Mutated<void>> {
    const tenant = await this.scope.locateInTenant(caller, 'role', id);
    return this.commands.execute(new DeleteRole(tenant, caller, id));
  }

  @Get('list')
  async list(@FromCaller() caller: Caller, @Query() query: RolesOfTenantQuery): Promise<{ roles: RoleResponse[] }> {
    return { roles: await this.roles.roles(await this.scope.named(caller, query.tenant)) };
  }

  @Post('permission/grant')
  @HttpCode(200)
  async grant(@FromCaller() caller: Caller, @Body() body: GrantPermissionDto): Promise<Mutated<PermissionResponse>> {
    const tenant = await this.scope.locateInTenant(caller, 'role', body.roleId);
    const { roleId, verb } = body;
    const allowance = {
      roleId,
      catalog: body.catalog ?? '*',
      schema: body.schema ?? '*',
      table: body.table ?? '*',
      verb,
    };
    const granted = await this.commands.execute(new GrantPermission(tenant, caller, allowance));
    return granted.with(await this.roles.permission(tenant, granted.result));
  }

  @Post('permission/revoke')
  @HttpCode(200)
  async revoke(@FromCaller() caller: Caller, @Body() { id }: PermissionIdDto): Promise<Mutated<void>> {
    const tenant = await this.scope.locateInTenant(caller, 'role_permission', id);
    return this.commands.execute(new RevokePermission(tenant, caller, id));
  }

  @Get('permission/list')
  async permissions(
    @FromCaller() caller: Caller,
    @Query() { roleId }: PermissionsOfRoleQuery,
  ): Promise<{ permissions: PermissionResponse[] }> {
    const tenant = await this.scope.locateInTenant(caller, 'role', roleId);
    return { permissions: await this.roles.permissions(tenant, roleId) };
  }
}
