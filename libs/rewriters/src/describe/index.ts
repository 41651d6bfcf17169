export { beforeBinding, type BoundPlans, describeNames, describeStatement, isPlainIn, type Unbound } from './describe';
export { checkMacroUse } from './macro-expansion';
export type { SessionCatalog } from './named-tables';
export { behindStub, onStubs } from './stubs';
export { closureOf } from './closures';
