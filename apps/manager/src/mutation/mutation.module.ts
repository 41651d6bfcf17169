import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { MutationAnswerInterceptor } from './mutation-answer.interceptor';
import { Mutations } from './mutations';
import { TenantScope } from './tenant-scope';

/** How policy is changed, and by whom. */
@Global()
@Module({
  providers: [Mutations, TenantScope, { provide: APP_INTERCEPTOR, useClass: MutationAnswerInterceptor }],
  exports: [Mutations, TenantScope],
})
export class MutationModule {}
