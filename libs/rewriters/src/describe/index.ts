export { beforeBinding, describeStatement, type BoundPlans, type SessionCatalog, type Unbound } from './describe';
