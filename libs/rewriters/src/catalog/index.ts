export { type CatalogSnapshot, type CatalogTable, qualify, resolveTable, type SearchPath, tableKey } from './snapshot';
