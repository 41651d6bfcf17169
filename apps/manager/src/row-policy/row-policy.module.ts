import { Module } from '@nestjs/common';
import { CreateRowPolicyHandler, DeleteRowPolicyHandler, UpdateRowPolicyHandler } from './row-policy.command';
import { RowPolicyController } from './row-policy.controller';
import { RowPolicyQuery } from './row-policy.query';

/** Which rows roles see. */
@Module({
  controllers: [RowPolicyController],
  providers: [RowPolicyQuery, CreateRowPolicyHandler, UpdateRowPolicyHandler, DeleteRowPolicyHandler],
})
export class RowPolicyModule {}
