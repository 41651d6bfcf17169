import { Global, Module } from '@nestjs/common';
import { PolicyBindings } from './policy-bindings';
import { PolicyChecks } from './policy-checks';

/** What an expression of a policy has to pass before it is one. */
@Global()
@Module({ providers: [PolicyBindings, PolicyChecks], exports: [PolicyChecks] })
export class PolicyCheckModule {}
