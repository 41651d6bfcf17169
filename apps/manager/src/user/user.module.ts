import { Module } from '@nestjs/common';
import { Bootstrap } from './bootstrap';
import { CreateSuperuserHandler, CreateUserHandler } from './create-user.command';
import { DeleteSuperuserHandler, DeleteUserHandler } from './delete-user.command';
import { UpdateSuperuserHandler, UpdateUserHandler } from './update-user.command';
import { UserController } from './user.controller';
import { UserQuery } from './user.query';

/** Accounts. */
@Module({
  controllers: [UserController],
  providers: [
    UserQuery,
    Bootstrap,
    CreateUserHandler,
    CreateSuperuserHandler,
    UpdateUserHandler,
    UpdateSuperuserHandler,
    DeleteUserHandler,
    DeleteSuperuserHandler,
  ],
})
export class UserModule {}
