import { Module } from '@nestjs/common';
import { CreateSourceHandler, DeleteSourceHandler } from './federated-source.command';
import { FederatedSourceController } from './federated-source.controller';
import { FederatedSourceQuery } from './federated-source.query';

/** Federated sources of databases. */
@Module({
  controllers: [FederatedSourceController],
  providers: [FederatedSourceQuery, CreateSourceHandler, DeleteSourceHandler],
})
export class FederatedSourceModule {}
