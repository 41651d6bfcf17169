export { DatabaseModule } from './database.module';
export { readSetup, type Setup, storeSetup } from './setup';
