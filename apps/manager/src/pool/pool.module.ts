import { Module } from '@nestjs/common';
import { ChangePoolHandler, CreatePoolHandler } from './pool.command';
import { PoolController } from './pool.controller';
import { PoolQuery } from './pool.query';

/** Pools. */
@Module({
  controllers: [PoolController],
  providers: [PoolQuery, CreatePoolHandler, ChangePoolHandler],
})
export class PoolModule {}
