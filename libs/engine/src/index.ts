export * from './duckdb';
export * from './pipeline';
export * from './session';
export { jsonValue, type JsonValue, typeName } from './values/json-value';
