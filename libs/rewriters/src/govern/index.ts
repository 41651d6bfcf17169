export { listingAnswer } from './listing-answers';
export {
  CannotGovern,
  type ColumnNames,
  governedReads,
  type Governing,
  type InnerQuery,
  sealedRelation,
} from './govern-reads';
export { type GovernedTarget, governTarget } from './govern-writes';
export { condition, Marks, type MaskedColumn, type ProtectedTable, template } from './protected-table';
export { type ReadPlace, readPlaces } from './read-places';
export { writeTarget, type WriteTarget } from './write-target';
export { ANSWERED_LISTINGS, isListingFunction, type Listed, type ListedNames, listingRelation } from './listings';
