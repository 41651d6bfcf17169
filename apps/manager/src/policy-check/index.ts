export { PolicyCheckModule } from './policy-check.module';
export { PolicyChecks } from './policy-checks';
