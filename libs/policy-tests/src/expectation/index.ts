export { type Answers, askedBy, inJson, type Mismatch, mismatchOf } from './holds';
export type { RowPair } from './values';
export { secretsIn } from './secrets';
