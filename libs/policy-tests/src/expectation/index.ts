export { type Answers, askedBy, type Mismatch, mismatchOf } from './holds';
export { secretsIn } from './secrets';
