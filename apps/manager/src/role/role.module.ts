import { Module } from '@nestjs/common';
import { GrantPermissionHandler, RevokePermissionHandler } from './permission.command';
import { CreateRoleHandler, DeleteRoleHandler } from './role.command';
import { RoleController } from './role.controller';
import { RoleQuery } from './role.query';

/** Roles and their table permissions. */
@Module({
  controllers: [RoleController],
  providers: [RoleQuery, CreateRoleHandler, DeleteRoleHandler, GrantPermissionHandler, RevokePermissionHandler],
})
export class RoleModule {}
