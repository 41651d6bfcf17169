import { Module } from '@nestjs/common';
import { AdmitMacroHandler, WithdrawMacroHandler } from './macro.command';
import { MacroController } from './macro.controller';
import { MacroQuery } from './macro.query';

/** Macros that tenant users may call. */
@Module({
  controllers: [MacroController],
  providers: [MacroQuery, AdmitMacroHandler, WithdrawMacroHandler],
})
export class MacroModule {}
