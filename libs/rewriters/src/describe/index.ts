export { beforeBinding, type BoundPlans, describeNames, describeStatement, isPlainIn, type Unbound } from './describe';
export { checkMacroUse } from './macro-expansion';
export type { SecuredBase, SecuredView, SessionCatalog } from './named-tables';
export { secureViewBases, SecureViewFault } from './secure-view-rules';
export { isSecured } from './is-secured';
export { isAsMade, leadsToSecured, notAsMade, outOfReach, tablesUnder } from './secured-views';
export { behindStub, onStubs } from './stubs';
export { closureOf } from './closures';
