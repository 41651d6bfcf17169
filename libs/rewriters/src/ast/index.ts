export { arrayOf, isObject, type Json, type JsonObject, stringOf } from './json';
export { queryNames, type QueryNames, type WrittenFunction, type WrittenName } from './walk';
