export {
  type CatalogSnapshot,
  type CatalogTable,
  type MacroOverload,
  possible,
  qualify,
  resolveTable,
  resolveType,
  type SearchPath,
  tableKey,
  type UserMacro,
} from './snapshot';
