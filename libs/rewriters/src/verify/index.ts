export type { Proof } from './bound-plan';
export { canonicalPlan } from './canonical-plan';
export { type Seals, withoutSealed } from './sealed';
export { outline } from './outline';
export { type PlanTemplate, readTemplate } from './plan-template';
export { type Verified, verify } from './verify';
