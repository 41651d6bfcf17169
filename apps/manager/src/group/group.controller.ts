import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { CreateGroup, DeleteGroup } from './group.command';
import { CreateGroupDto, GroupIdDto, GroupsOfTenantQuery } from './group.dto';
import { GroupQuery, type GroupResponse } from './group.query';

/** Groups. Source: qod-api.md 1.3. */
@ApiTags('group')
@Controller('api/group')
export class GroupController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly groups: GroupQuery,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreateGroupDto): Promise<Mutated<GroupResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    const made = await this.commands.execute(new CreateGroup(tenant, caller, body.name, body.description ?? null));
    return made.with(await this.groups.group(tenant, made.result));
  }

  @Post('delete')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Body() { id }: GroupIdDto): Promise<Mutated<void>> {
    const tenant = await this.scope.locateInTenant(caller, 'app_group', id);
    return this.commands.execute(new DeleteGroup(tenant, caller, id));
  }

  @Get('list')
  async list(@FromCaller() caller: Caller, @Query() query: GroupsOfTenantQuery): Promise<{ groups: GroupResponse[] }> {
    return { groups: await this.groups.groups(await this.scope.named(caller, query.tenant)) };
  }
}
