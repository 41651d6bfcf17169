export { bindPolicy } from './policy-binding';
export { PolicyParser } from './policy-parser';
