export { type ManagerConfig, type NodeSettings, readConfig } from './config';
export { ConfigModule } from './config.module';
export { MANAGER_CONFIG } from './config.token';
export { ConfigError } from './reading';
export { MANAGER_VERSION } from './version';
