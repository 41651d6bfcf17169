export { ManagerMetrics } from './manager-metrics';
export { MetricsModule } from './metrics.module';
