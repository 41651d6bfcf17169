export { type PolicyCase, type Tag, TAGS, titleOf } from './cases';
export { countsOf, junitReport, textReport } from './report';
export { type CaseResult, policyFaults, runSuite, verdictOf } from './run';
export { FileFault } from './source';
export { readSuite, type ReadSuite, readWaits, selected, type Selection } from './suite';
