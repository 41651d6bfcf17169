export { EffectiveSetModule } from './effective-set.module';
export { type Admission, Gate } from './gate';
export type { PoolBinding } from './pool-binding';
export { KillSwitches } from './kill-switches';
