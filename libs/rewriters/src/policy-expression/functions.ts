import { classOfFunction } from '../classification';
import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { fold } from '../lexer';
import admitted from './admitted-functions.json';
import { PolicyFault } from './fault';

/**
 * Functions that a policy may call: of class pure, scalar and nothing else in the pinned engine (a macro's body could be
 * shadowed, an aggregate makes another query of it), with a result and an effort that follow the size of the value. A spec
 * holds the list to the engine.
 */
const ADMITTED: ReadonlySet<string> = new Set(admitted);
/** Those of them that take a lambda. */
const LAMBDA_FUNCTIONS = new Set(
  `list_transform array_transform list_apply array_apply apply list_filter array_filter filter`.split(/\s+/),
);
/** Those whose arguments may have names. */
const NAMED_ARGUMENTS = new Set(['struct_pack', 'struct_insert', 'struct_update']);

/** Checks the name of a call. @throws PolicyFault */
export function checkFunction(call: JsonObject): void {
  const name = stringOf(call.function_name);
  const [catalog, schema] = [fold(stringOf(call.catalog)), fold(stringOf(call.schema))];
  // The engine's own grammar writes `main.` before what it makes of operators and brackets.
  const own = (catalog === '' && schema === '') || (schema === 'main' && (catalog === '' || catalog === 'system'));
  if (!own) throw new PolicyFault(`a policy calls functions of the engine only, no ${schema}.${name}()`);
  if (!ADMITTED.has(fold(name))) throw new PolicyFault(refusal(name));
  checkCount(fold(name), arrayOf(call.children));
}

function refusal(name: string): string {
  const found = classOfFunction(name, 'scalar');
  const why = found === 'pure' ? 'an aggregate, a macro, or of unbounded effort' : 'not a pure function';
  return `a policy does not call ${name}(): it is ${why}`;
}

export function takesLambda(call: JsonObject): boolean {
  return LAMBDA_FUNCTIONS.has(fold(stringOf(call.function_name)));
}

export function namesArguments(call: JsonObject): boolean {
  return NAMED_ARGUMENTS.has(fold(stringOf(call.function_name)));
}

/** Largest number that a policy repeats or pads a text to by itself. */
const MAX_REPEATED = 1_000;
const COUNTED = new Set(['repeat', 'lpad', 'rpad']);
const LENGTHS = new Set(['length', 'len', 'strlen', 'char_length', 'character_length']);
const SUMS = new Set(['+', '-', 'greatest', 'least']);

/** `repeat('*', length(phone) - 4)`: results are no larger than values are, so counts are plain numbers and lengths. */
function checkCount(name: string, children: readonly Json[]): void {
  if (!COUNTED.has(name)) return;
  const [text, count] = children;
  if (!isBounded(count)) {
    throw new PolicyFault(`${name}() takes a number of at most ${MAX_REPEATED}, or what length() gives, here`);
  }
  if (name === 'repeat' && !(isObject(text) && text.class === 'CONSTANT')) {
    throw new PolicyFault('repeat() repeats a text as it stands');
  }
}

function isBounded(count: Json | undefined): boolean {
  if (!isObject(count)) return false;
  if (count.class === 'CONSTANT') {
    const number = isObject(count.value) ? count.value.value : undefined;
    return typeof number === 'number' && Number.isInteger(number) && number <= MAX_REPEATED;
  }
  const name = count.class === 'FUNCTION' ? fold(stringOf(count.function_name)) : '';
  return LENGTHS.has(name) || (SUMS.has(name) && arrayOf(count.children).every(isBounded));
}
