import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access';
import { AuthController } from './auth.controller';
import { Authentication } from './authentication';
import { Login } from './login';
import { Passwords } from './passwords';

/** Who a request comes from and which routes it may call. */
@Global()
@Module({
  controllers: [AuthController],
  providers: [Authentication, Login, Passwords, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [Authentication, Login, Passwords],
})
export class AuthModule {}
