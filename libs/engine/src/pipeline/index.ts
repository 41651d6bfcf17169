export type { PolicyOutcome } from './policy-outcome';
export { columnsOf, type ResultColumn, type RunningStatement } from './running-statement';
export { StatementPipeline } from './statement-pipeline';
export { type StatementRequest } from './statement-request';
