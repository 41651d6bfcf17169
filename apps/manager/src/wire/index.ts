export { Flag, OptionalFlag, OptionalObject, OptionalText, OptionalTexts, OptionalWhole, Text, Whole } from './fields';
export { limitNesting } from './nesting';
export { requestValidation } from './validation';
