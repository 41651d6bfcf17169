export type { Door } from './door';
export { FixtureImage } from './fixture-image';
