import { arrayOf, isObject, Json, stringOf } from '../ast';
import { isBuiltInType } from '../classification';
import { fold } from '../lexer';
import { PolicyFault } from './fault';

/** What a value of these means hangs on the session's time zone, which its user sets. */
const OF_THE_SESSION = new Set(['timestamp with time zone', 'time with time zone']);

/** Checks a type that a value is cast to: one that the engine's parser knows itself, so that no other can be meant. @throws PolicyFault */
export function checkType(type: Json | undefined): void {
  if (!isObject(type)) throw new PolicyFault('a cast without a type');
  const id = stringOf(type.id);
  const info = isObject(type.type_info) ? type.type_info : {};
  if (id === 'UNBOUND') {
    throw new PolicyFault(`a policy casts to plain types of the engine, not to ${stringOf(info.name)}`);
  }
  if (!isBuiltInType(id)) throw new PolicyFault(`a policy does not cast to ${id}`);
  if (OF_THE_SESSION.has(fold(id))) throw new PolicyFault(`a policy does not cast to ${id}: it hangs on the time zone`);
  if (info.child_type !== undefined && info.child_type !== null) checkType(info.child_type);
  for (const field of arrayOf(info.child_types)) {
    if (!isObject(field)) throw new PolicyFault('a type that is not understood');
    checkType(field.second);
  }
}
