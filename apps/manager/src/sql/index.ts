export { SqlModule } from './sql.module';
