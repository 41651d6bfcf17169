export { columnsOf, type ResultColumn, type RunningStatement } from './running-statement';
export { StatementPipeline, type StatementRequest } from './statement-pipeline';
