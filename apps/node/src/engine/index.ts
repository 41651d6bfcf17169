export { type ParsedNames, parseNames, readCatalog, readSearchPath, readTree } from './catalog-reader';
export { Engine } from './engine';
export type { CatalogConfig, EngineConfig } from './engine-config';
export { planErrorMessage, runError } from './engine-error';
export { NodeConnection } from './node-connection';
