import { arrayOf, isObject, JsonObject } from '../ast';
import { type Proof } from './bound-plan';
import { canonicalPlan } from './canonical-plan';
import { childrenOf, operatorType } from './plan-operator';

/** `OFFSET 0` and nothing else: the engine moves no condition through it. */
export function isBarrier(operator: JsonObject): boolean {
  const { limit_val: limit, offset_val: offset } = operator;
  return (
    operatorType(operator) === 'LOGICAL_LIMIT' &&
    isObject(limit) &&
    limit.type === 'UNSET' &&
    isObject(offset) &&
    offset.type === 'CONSTANT_VALUE' &&
    offset.constant_integer === 0
  );
}

/** With what the secure views of a plan are known again. */
export type Seals = Pick<Proof, 'nonce' | 'sealed'>;

/** Whether an operator gives what a secure view stands for, all of it and nothing else. */
export function isSealed(operator: JsonObject, { nonce, sealed }: Seals): boolean {
  return sealed.size > 0 && isBarrier(operator) && sealed.has(canonicalPlan(operator, nonce));
}

/** The plan without what is under its secure views: that is read with their owners' rights. */
export function withoutSealed(operator: JsonObject, seals: Seals): JsonObject {
  if (isSealed(operator, seals)) return { type: 'LOGICAL_DUMMY_SCAN', children: [] };
  if (childrenOf(operator).length === 0) return operator;
  const children = arrayOf(operator.children).map((child) => (isObject(child) ? withoutSealed(child, seals) : child));
  return { ...operator, children };
}
