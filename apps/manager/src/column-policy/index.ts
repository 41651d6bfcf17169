export { ColumnPolicyModule } from './column-policy.module';
