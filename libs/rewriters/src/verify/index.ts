export type { Proof } from './bound-plan';
export { type PlanTemplate, readTemplate } from './plan-template';
export { type Verified, verify } from './verify';
