import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';

/** Health and readiness. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
