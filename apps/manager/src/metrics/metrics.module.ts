import { Global, Module } from '@nestjs/common';
import { ManagerMetrics } from './manager-metrics';

@Global()
@Module({ providers: [ManagerMetrics], exports: [ManagerMetrics] })
export class MetricsModule {}
