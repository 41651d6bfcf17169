export { SystemWideCommand, TenantCommand } from './command';
export { Mutated, type PolicyVersions } from './mutated';
export { policyVersionHeader } from './mutation-answer.interceptor';
export { MutationModule } from './mutation.module';
export { Mutations } from './mutations';
export { type Located, refuseForeign, TenantScope } from './tenant-scope';
export { loadTenant, type TenantGraph } from './tenant-state';
