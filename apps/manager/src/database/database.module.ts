import { Module } from '@nestjs/common';
import { CreateDatabaseHandler, DeleteDatabaseHandler, UpdateDatabaseHandler } from './database.command';
import { DatabaseController } from './database.controller';
import { DatabaseQuery } from './database.query';

/** Databases of tenants. */
@Module({
  controllers: [DatabaseController],
  providers: [DatabaseQuery, CreateDatabaseHandler, UpdateDatabaseHandler, DeleteDatabaseHandler],
})
export class DatabaseModule {}
