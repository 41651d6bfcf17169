export { EffectiveSetModule } from './effective-set.module';
export { EffectiveSets, type Resolved } from './effective-sets';
export { type Admission, Gate, type PoolBinding } from './gate';
