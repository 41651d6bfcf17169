export type { ResultColumn, RunningStatement } from './running-statement';
export { StatementPipeline, type StatementRequest } from './statement-pipeline';
