import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { DomainError } from '@gadwall/rbac';
import { type Caller, ForSuperusers, FromCaller } from '../auth';
import type { Mutated } from '../mutation';
import { CreateTenant, DeleteTenant, SetInterruptOnRevoke, SwitchTenant } from './tenant.command';
import { CreateTenantDto, DisableTenantDto, InterruptOnRevokeDto, TenantNameDto } from './tenant.dto';
import { TenantQuery, type TenantResponse } from './tenant.query';

/** Tenants. Source: qod-api.md 1.4. */
@ApiTags('tenant')
@Controller('api/tenant')
export class TenantController {
  constructor(
    private readonly commands: CommandBus,
    private readonly tenants: TenantQuery,
  ) {}

  @Post('create')
  @ForSuperusers()
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreateTenantDto): Promise<Mutated<TenantResponse>> {
    // Settings of a provider may hold secrets; those of db are none.
    if (Object.keys(body.authConfig ?? {}).length > 0) {
      throw new DomainError('invalid_tenant', { detail: 'authConfig must be empty for authProvider db' });
    }
    const displayName = body.displayName || body.id;
    const made = await this.commands.execute(new CreateTenant(caller, body.id, displayName, body.authProvider ?? 'db'));
    return made.with(await this.tenants.tenant(body.id));
  }

  @Post('delete')
  @ForSuperusers()
  @HttpCode(200)
  delete(@FromCaller() caller: Caller, @Body() { name }: TenantNameDto): Promise<Mutated<void>> {
    return this.commands.execute(new DeleteTenant(caller, name));
  }

  @Post('setDisabled')
  @ForSuperusers()
  @HttpCode(200)
  async setDisabled(
    @FromCaller() caller: Caller,
    @Body() { name, disabled }: DisableTenantDto,
  ): Promise<Mutated<TenantResponse>> {
    const switched = await this.commands.execute(new SwitchTenant(caller, name, disabled));
    return switched.with(await this.tenants.tenant(name));
  }

  @Post('setInterruptOnRevoke')
  @ForSuperusers()
  @HttpCode(200)
  async setInterruptOnRevoke(
    @FromCaller() caller: Caller,
    @Body() { name, interruptOnRevoke }: InterruptOnRevokeDto,
  ): Promise<Mutated<TenantResponse>> {
    const set = await this.commands.execute(new SetInterruptOnRevoke(caller, name, interruptOnRevoke));
    return set.with(await this.tenants.tenant(name));
  }

  @Get('list')
  async list(@FromCaller() { principal }: Caller): Promise<{ tenants: TenantResponse[] }> {
    return { tenants: await this.tenants.tenants(principal.tenant) };
  }
}
