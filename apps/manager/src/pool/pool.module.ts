import { Module } from '@nestjs/common';
import { NodeDirectory } from './node-directory';
import { ChangePoolHandler, CreatePoolHandler } from './pool.command';
import { PoolController } from './pool.controller';
import { PoolQuery } from './pool.query';

/** Pools. */
@Module({
  controllers: [PoolController],
  providers: [PoolQuery, NodeDirectory, CreatePoolHandler, ChangePoolHandler],
})
export class PoolModule {}
