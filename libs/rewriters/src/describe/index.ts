export { beforeBinding, type BoundPlans, describeStatement, type SessionCatalog, type Unbound } from './describe';
export { isPlainCatalog } from './named-tables';
