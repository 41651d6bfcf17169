import { Module } from '@nestjs/common';
import {
  CreateTenantHandler,
  DeleteTenantHandler,
  SetInterruptOnRevokeHandler,
  SwitchTenantHandler,
} from './tenant.command';
import { TenantController } from './tenant.controller';
import { TenantQuery } from './tenant.query';

/** Tenants. */
@Module({
  controllers: [TenantController],
  providers: [TenantQuery, CreateTenantHandler, DeleteTenantHandler, SetInterruptOnRevokeHandler, SwitchTenantHandler],
})
export class TenantModule {}
