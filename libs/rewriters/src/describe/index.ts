export {
  beforeBinding,
  type BoundPlans,
  describeStatement,
  isPlainIn,
  type SessionCatalog,
  type Unbound,
} from './describe';
