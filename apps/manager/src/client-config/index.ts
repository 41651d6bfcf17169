export { ClientConfigModule } from './client-config.module';
