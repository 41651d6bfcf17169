export { policyFaults } from './fixture-worlds';
export type { Outcome } from './outcome';
export type { Failure } from './run-case';
export { type CaseResult, runSuite, verdictOf } from './run-suite';
