export * from './duckdb';
export * from './pipeline';
export * from './policy';
export * from './secure-view';
export * from './session';
export { checkChunkSize } from './values/chunk-size';
export { jsonValue, type JsonValue, typeName } from './values/json-value';
