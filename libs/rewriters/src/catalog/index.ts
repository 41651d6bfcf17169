export {
  type CatalogSnapshot,
  type CatalogTable,
  type MacroOverload,
  isTemporary,
  possible,
  qualify,
  resolveTable,
  resolveType,
  type SearchPath,
  tableKey,
  type UserMacro,
} from './snapshot';
