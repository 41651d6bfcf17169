export { RoleModule } from './role.module';
