import { Module } from '@nestjs/common';
import { GrantPoolHandler, RevokePoolHandler } from './pool-permission.command';
import { PoolPermissionController } from './pool-permission.controller';
import { PoolPermissionQuery } from './pool-permission.query';

/** Pool grants. */
@Module({
  controllers: [PoolPermissionController],
  providers: [PoolPermissionQuery, GrantPoolHandler, RevokePoolHandler],
})
export class PoolPermissionModule {}
