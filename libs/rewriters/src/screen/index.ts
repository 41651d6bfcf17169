export type { ParameterValue } from './parameters';
export { ScreenRefusal } from './refusal';
export { screen, type Screened } from './screen';
export type { NamedTable } from './table-positions';
