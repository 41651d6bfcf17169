import { isObject, Json, stringOf } from '../ast';

/**
 * Functions that the engine calls on the least and greatest value of a column before it reads a row, hidden rows included,
 * and that fail on times outside of the years 1677 to 2262. No barrier keeps statistics back. Found by calling each scalar
 * function of the engine over a filtered relation with such rows behind the filter.
 */
const CALLED_ON_STATISTICS = new Set(['epoch_ns']);

/** Whether anything of a plan is computed on the statistics of a column, and can fail on them. */
export function failsOnStatistics(plan: Json | undefined): boolean {
  if (Array.isArray(plan)) return plan.some((one) => failsOnStatistics(one));
  if (!isObject(plan)) return false;
  const called = plan.expression_class === 'BOUND_FUNCTION' && CALLED_ON_STATISTICS.has(stringOf(plan.name));
  return called || Object.values(plan).some((one) => failsOnStatistics(one));
}
