import { arrayOf, isObject, Json, PlanAccesses, planAccesses, stringOf } from '@gadwall/rewriters';

/** A plan as it was read: what it touches, or the error that the engine gave in its place. */
export type ReadPlan = { plan: PlanAccesses } | { error: { type: string; message: string } };

/** Reads the JSON that `json_serialize_plan` gave; exactly one plan, or an error. */
export function readPlan(text: string): ReadPlan {
  const json = JSON.parse(text) as Json;
  if (!isObject(json) || json.error !== false) {
    const { error_type: type, error_message: message } = isObject(json) ? json : {};
    return { error: { type: stringOf(type), message: stringOf(message) } };
  }
  const plans = arrayOf(json.plans);
  const [plan] = plans;
  if (plans.length !== 1 || !isObject(plan)) return { error: { type: '', message: 'not one plan' } };
  return { plan: planAccesses(plan) };
}
