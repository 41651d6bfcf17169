import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { MembershipCommand } from '@gadwall/rbac';
import { type Caller, FromCaller } from '../auth';
import { type Located, type Mutated, TenantScope } from '../mutation';
import { ChangeMembership } from './membership.command';
import { GroupRoleDto, RolesOfGroupQuery, UserGroupDto, UserRoleDto } from './membership.dto';
import { type GroupRoleResponse, MembershipQuery } from './membership.query';

/** Membership edges; adding and removing are idempotent. Source: qod-api.md 1.3. */
@ApiTags('membership')
@Controller('api/membership')
export class MembershipController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly memberships: MembershipQuery,
  ) {}

  @Post('user-role/add')
  @HttpCode(200)
  addUserRole(@FromCaller() caller: Caller, @Body() { userId, roleId }: UserRoleDto): Promise<Mutated<void>> {
    return this.change(caller, { app_user: userId, role: roleId }, { type: 'add-user-role', userId, roleId });
  }

  @Post('user-role/remove')
  @HttpCode(200)
  removeUserRole(@FromCaller() caller: Caller, @Body() { userId, roleId }: UserRoleDto): Promise<Mutated<void>> {
    return this.change(caller, { app_user: userId, role: roleId }, { type: 'remove-user-role', userId, roleId });
  }

  @Post('user-group/add')
  @HttpCode(200)
  addUserGroup(@FromCaller() caller: Caller, @Body() { userId, groupId }: UserGroupDto): Promise<Mutated<void>> {
    return this.change(caller, { app_user: userId, app_group: groupId }, { type: 'add-user-group', userId, groupId });
  }

  @Post('user-group/remove')
  @HttpCode(200)
  removeUserGroup(@FromCaller() caller: Caller, @Body() { userId, groupId }: UserGroupDto): Promise<Mutated<void>> {
    const ends = { app_user: userId, app_group: groupId };
    return this.change(caller, ends, { type: 'remove-user-group', userId, groupId });
  }

  @Post('group-role/add')
  @HttpCode(200)
  addGroupRole(@FromCaller() caller: Caller, @Body() { groupId, roleId }: GroupRoleDto): Promise<Mutated<void>> {
    return this.change(caller, { app_group: groupId, role: roleId }, { type: 'add-group-role', groupId, roleId });
  }

  @Post('group-role/remove')
  @HttpCode(200)
  removeGroupRole(@FromCaller() caller: Caller, @Body() { groupId, roleId }: GroupRoleDto): Promise<Mutated<void>> {
    return this.change(caller, { app_group: groupId, role: roleId }, { type: 'remove-group-role', groupId, roleId });
  }

  @Get('group-role/list')
  async groupRoles(
    @FromCaller() caller: Caller,
    @Query() { groupId }: RolesOfGroupQuery,
  ): Promise<{ roles: GroupRoleResponse[] }> {
    const tenant = await this.scope.locateInTenant(caller, 'app_group', groupId);
    return { roles: await this.memberships.rolesOfGroup(tenant, groupId) };
  }

  private async change(
    caller: Caller,
    ends: Partial<Record<Located, string>>,
    change: MembershipCommand,
  ): Promise<Mutated<void>> {
    const tenant = await this.scope.ofEdge(caller, Object.entries(ends) as [Located, string][]);
    return this.commands.execute(new ChangeMembership(tenant, caller, change));
  }
}
