import { Global, Module } from '@nestjs/common';
import { Gate } from './gate';
import { KillSwitches } from './kill-switches';
import { PolicyMirror } from './policy-mirror';

/** What principals reach, and gate 1. */
@Global()
@Module({ providers: [PolicyMirror, Gate, KillSwitches], exports: [Gate, KillSwitches] })
export class EffectiveSetModule {}
