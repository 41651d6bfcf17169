export { planAccesses, type PlanAccess, type PlanAccesses, type PlanFunction } from './plan-accesses';
export { storedColumns } from './stored-columns';
