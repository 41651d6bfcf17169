export { arrayOf, isObject, type Json, type JsonObject, stringOf } from './json';
export {
  queryNames,
  type QueryNames,
  valueFunction,
  type WrittenFunction,
  type WrittenName,
  type WrittenTable,
} from './walk';
