export { type OpenDatabase, PostgresModule, READS } from './postgres.module';
