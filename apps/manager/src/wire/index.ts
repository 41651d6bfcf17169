export { Flag, OptionalFlag, OptionalObject, OptionalText, OptionalTexts, OptionalWhole, Text, Whole } from './fields';
export { requestValidation } from './validation';
