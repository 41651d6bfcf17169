export { PoolPermissionModule } from './pool-permission.module';
