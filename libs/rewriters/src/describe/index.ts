export { beforeBinding, type BoundPlans, describeStatement, type SessionCatalog, type Unbound } from './describe';
