import { Module } from '@nestjs/common';
import {
  CreateColumnPolicyHandler,
  DeleteColumnPolicyHandler,
  UpdateColumnPolicyHandler,
} from './column-policy.command';
import { ColumnPolicyController } from './column-policy.controller';
import { ColumnPolicyQuery } from './column-policy.query';

/** What roles see of columns. */
@Module({
  controllers: [ColumnPolicyController],
  providers: [ColumnPolicyQuery, CreateColumnPolicyHandler, UpdateColumnPolicyHandler, DeleteColumnPolicyHandler],
})
export class ColumnPolicyModule {}
