export type { ParameterValue } from './parameters';
export { isRepeatable } from './repeatable';
export { ScreenRefusal } from './refusal';
export { screen, type Screened } from './screen';
export type { WrittenObject } from './written-object';
