import { Global, Module } from '@nestjs/common';
import { Gate } from './gate';
import { PolicyMirror } from './policy-mirror';

/** What principals reach, and gate 1. */
@Global()
@Module({ providers: [PolicyMirror, Gate], exports: [Gate] })
export class EffectiveSetModule {}
