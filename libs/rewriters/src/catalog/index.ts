export {
  type CatalogSnapshot,
  type CatalogTable,
  possible,
  qualify,
  resolveTable,
  resolveType,
  type SearchPath,
  tableKey,
} from './snapshot';
