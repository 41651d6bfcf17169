import { Module } from '@nestjs/common';
import { ChangePasswordHandler } from './change-password.command';
import { ChangePasswordController } from './change-password.controller';
import { Bootstrap } from './bootstrap';
import { CreateSuperuserHandler, CreateUserHandler } from './create-user.command';
import { DeleteSuperuserHandler, DeleteUserHandler } from './delete-user.command';
import { UpdateSuperuserHandler, UpdateUserHandler } from './update-user.command';
import { UserController } from './user.controller';
import { UserQuery } from './user.query';

/** Accounts. */
@Module({
  controllers: [UserController, ChangePasswordController],
  providers: [
    UserQuery,
    Bootstrap,
    CreateUserHandler,
    CreateSuperuserHandler,
    UpdateUserHandler,
    ChangePasswordHandler,
    UpdateSuperuserHandler,
    DeleteUserHandler,
    DeleteSuperuserHandler,
  ],
})
export class UserModule {}
