export { TenantModule } from './tenant.module';
