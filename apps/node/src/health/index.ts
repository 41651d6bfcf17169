export { EventLoop } from './event-loop';
export { HealthController } from './health.controller';
