import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { AdmitMacro, WithdrawMacro } from './macro.command';
import { AdmitMacroDto, MacroIdDto, MacrosOfTenantQuery } from './macro.dto';
import { MacroQuery, type MacroResponse } from './macro.query';

/** Macros that tenant users may call: superusers change them, administrators see those of their tenant. */
@ApiTags('macro')
@Controller('api/macro')
export class MacroController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly macros: MacroQuery,
  ) {}

  @Post('admit')
  @HttpCode(201)
  async admit(@FromCaller() caller: Caller, @Body() body: AdmitMacroDto): Promise<Mutated<MacroResponse>> {
    const tenant = await this.scope.named(caller, body.tenant);
    const { catalog, schema, name } = body;
    const admitted = await this.commands.execute(new AdmitMacro(tenant, caller, { catalog, schema, name }));
    return admitted.with(await this.macros.macro(tenant, admitted.result));
  }

  @Post('withdraw')
  @HttpCode(200)
  async withdraw(@FromCaller() caller: Caller, @Body() { tenant, id }: MacroIdDto): Promise<Mutated<void>> {
    const named = await this.scope.named(caller, tenant);
    return this.commands.execute(new WithdrawMacro(named, caller, id));
  }

  @Get('list')
  async list(@FromCaller() caller: Caller, @Query() query: MacrosOfTenantQuery): Promise<{ macros: MacroResponse[] }> {
    return { macros: await this.macros.macros(await this.scope.named(caller, query.tenant)) };
  }
}
