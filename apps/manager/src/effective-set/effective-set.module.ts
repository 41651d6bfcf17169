import { Global, Module } from '@nestjs/common';
import { EffectiveSets } from './effective-sets';
import { Gate } from './gate';

/** What principals reach, and gate 1. */
@Global()
@Module({ providers: [EffectiveSets, Gate], exports: [EffectiveSets, Gate] })
export class EffectiveSetModule {}
