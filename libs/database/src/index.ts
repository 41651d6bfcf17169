export { migrate, MigrationError } from './migrate';
export { databaseConfig, openDatabase, type Database, type DatabaseConfig } from './open-database';
export { endProcess, isRunning, processRef, type ProcessRef } from './process-ref';
