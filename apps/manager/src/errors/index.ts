export { domainErrorOf, type ErrorBody, errorBody } from './error-body';
export { ErrorFilter } from './error.filter';
