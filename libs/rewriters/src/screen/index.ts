export type { ListingRequest } from './listing-request';
export type { ParameterValue } from './parameters';
export { isRepeatable } from './repeatable';
export { ScreenRefusal } from './refusal';
export type { Preparation, PreparedText } from './prepared';
export { checkLimits, screen, type Screened, screenExecuted, screenOrPreparation, screenPrepared } from './screen';
export { bracketEnds, type BracketEnds, isOpening, nameAt, type WrittenObject } from './written-object';
