import {
  arrayOf,
  isObject,
  Json,
  PlanAccesses,
  planAccesses,
  queryNames,
  QueryNames,
  stringOf,
} from '@gadwall/rewriters';

/** An error that the engine gave in the place of a plan or a tree. */
export interface EngineRefusal {
  error: { type: string; message: string };
}

export type ReadPlan = { plan: PlanAccesses } | EngineRefusal;
export type ReadTree = { names: QueryNames } | EngineRefusal;
export type Reading = ReadPlan | ReadTree;

/** How each kind of JSON that the engine writes is read. */
export const READERS = { plan: readPlan, tree: readTree };

/** What `json_serialize_plan` gave: exactly one plan, or an error. */
function readPlan(text: string): ReadPlan {
  const json = JSON.parse(text) as Json;
  if (!isObject(json) || json.error !== false) return refusal(json);
  const plans = arrayOf(json.plans);
  const [plan] = plans;
  if (plans.length !== 1 || !isObject(plan)) return { error: { type: '', message: 'not one plan' } };
  return { plan: planAccesses(plan) };
}

/** What `json_serialize_sql` gave. */
function readTree(text: string): ReadTree {
  const json = JSON.parse(text) as Json;
  if (!isObject(json) || json.error !== false) return refusal(json);
  return { names: queryNames(json.statements ?? null) };
}

function refusal(json: Json): EngineRefusal {
  const { error_type: type, error_message: message } = isObject(json) ? json : {};
  return { error: { type: stringOf(type), message: stringOf(message) } };
}
