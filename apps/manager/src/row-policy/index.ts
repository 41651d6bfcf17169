export { RowPolicyModule } from './row-policy.module';
