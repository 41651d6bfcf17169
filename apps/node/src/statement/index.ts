export { NodeErrorFilter } from './error.filter';
export { StatementController } from './statement.controller';
export { StatementService } from './statement.service';
