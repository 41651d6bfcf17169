export { GroupModule } from './group.module';
