export { readCatalog, readSearchPath } from './catalog-reader';
export { Engine } from './engine';
export type { CatalogConfig, EngineConfig } from './engine-config';
export { errorText, planErrorMessage, runError } from './engine-error';
export { JsonReader } from './json-reader';
export { NodeConnection } from './node-connection';
export type { ReadTree } from './readings';
