export { DatabaseModule } from './database.module';
export { hasSetup, readSetup, type Setup, storeSetup } from './setup';
