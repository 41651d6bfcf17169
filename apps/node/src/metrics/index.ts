export { METRICS_TOKEN, MetricsController } from './metrics.controller';
export { PolicyMetrics } from './policy-metrics';
