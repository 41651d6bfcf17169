export { NodeErrorFilter } from './error.filter';
export { Rejudging } from './rejudging';
export { RunningStatements } from './running-statements';
export { StatementController } from './statement.controller';
export { StatementService } from './statement.service';
