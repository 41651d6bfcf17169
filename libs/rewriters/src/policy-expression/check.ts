import { arrayOf, isObject, Json, JsonObject, stringOf, valueFunction } from '../ast';
import { fold } from '../lexer';
import { PolicyFault } from './fault';
import { checkFunction, namesArguments, takesLambda } from './functions';
import { isEmpty, expressionIn } from './statement';
import { REFUSED_CLASSES, SHAPES } from './shapes';
import { tokenOf } from './tokens';
import { checkType } from './types';

/** What an expression is for: a mask reads the column that it stands for and no other one. */
export type PolicyKind = { kind: 'mask'; column: string } | { kind: 'predicate' };

const LISTS = new Set(['roles', 'groups']);
const OF_IN = new Set(['COMPARE_IN', 'COMPARE_NOT_IN']);

interface Scope {
  readonly policy: PolicyKind;
  /** Parameters of lambdas around, folded. */
  readonly lambdas: ReadonlySet<string>;
}

/**
 * Checks the tree that `json_serialize_sql` gives for `SELECT <sql of parameterised()>`: a single scalar expression of what
 * an allow list holds. Source: seed 000, "Action: mask + transform_sql" and "Predicate validation"; stricter in that
 * functions are those of an allow list, and in that no name in it can come to mean another thing.
 *
 * @throws PolicyFault naming the rule that is broken
 */
export function checkExpression(tree: Json, policy: PolicyKind): void {
  check(expressionIn(tree), { policy, lambdas: new Set() });
}

function check(value: Json | undefined, scope: Scope): void {
  if (!isObject(value)) throw notUnderstood('an expression');
  const kind = stringOf(value.class);
  const shape = SHAPES.get(kind);
  if (!shape) throw new PolicyFault(REFUSED_CLASSES.get(kind) ?? `a policy holds no ${kind}`);
  if (!shape.types.has(stringOf(value.type))) throw new PolicyFault(`a policy holds no ${stringOf(value.type)}`);
  for (const [key, field] of Object.entries(value)) {
    const known = COMMON.has(key) || shape.expressions.includes(key) || shape.others.includes(key);
    if (!known && !isEmpty(field)) throw new PolicyFault(`a policy holds no ${key.replaceAll('_', ' ')}`);
  }
  checkOwn(kind, value, scope);
  if (kind === 'FUNCTION' || kind === 'LAMBDA') return;
  for (const key of shape.expressions) {
    const field = value[key];
    if (Array.isArray(field)) field.forEach((child, i) => checkChild(value, child, i, scope));
    else if (field !== undefined && field !== null) check(field, scope);
  }
}

const COMMON = new Set(['class', 'type', 'query_location']);

/** What a class demands beside its shape. */
function checkOwn(kind: string, value: JsonObject, scope: Scope): void {
  switch (kind) {
    case 'CONSTANT':
      return checkConstant(value.value);
    case 'COLUMN_REF':
      return checkColumn(arrayOf(value.column_names).map(stringOf), scope);
    case 'PARAMETER':
      return checkToken(value);
    case 'CASE':
      return arrayOf(value.case_checks).forEach((branch) => {
        if (!isObject(branch)) throw notUnderstood('CASE');
        check(branch.when_expr, scope);
        check(branch.then_expr, scope);
      });
    case 'CAST':
      return checkType(value.cast_type);
    case 'FUNCTION':
      return checkCall(value, scope);
    case 'LAMBDA':
      // As an argument of a function that takes one it does not come here.
      throw new PolicyFault('a policy holds no -> but in a function over lists; json_extract() reads JSON');
  }
}

/** A list token stands for the elements of an IN list and for nothing else. */
function checkChild(parent: JsonObject, child: Json, i: number, scope: Scope): void {
  const listed = isObject(child) && child.class === 'PARAMETER' && LISTS.has(stringOf(child.identifier));
  if (listed && OF_IN.has(stringOf(parent.type)) && i > 0) return checkShapeOfToken(child);
  check(child, scope);
}

function checkShapeOfToken(value: JsonObject): void {
  if (tokenOf(stringOf(value.identifier)) === null) throw notUnderstood('a parameter');
}

function checkToken(value: JsonObject): void {
  checkShapeOfToken(value);
  const name = stringOf(value.identifier);
  if (LISTS.has(name)) throw new PolicyFault(`\${${name}} is a list: it stands in the brackets of IN (…) only`);
}

function checkConstant(value: Json | undefined): void {
  if (!isObject(value) || !isObject(value.type)) throw notUnderstood('a constant');
  const id = stringOf(value.type.id);
  if (id === 'LIST') throw new PolicyFault('a slice has both its bounds');
  if (!isExact(value.value, id)) throw new PolicyFault('a number of over 15 digits is written as a text with a cast');
}

/** JSON as this program reads it keeps no larger integers. */
function isExact(value: Json | undefined, type: string): boolean {
  switch (typeof value) {
    case 'number':
      return type === 'DOUBLE' || type === 'FLOAT' ? Number.isFinite(value) : Number.isSafeInteger(value);
    case 'object':
      return value === null;
    default:
      return true;
  }
}

function checkColumn(names: readonly string[], { policy, lambdas }: Scope): void {
  const [name = '', ...fields] = names;
  if (fields.length === 0 && lambdas.has(fold(name))) return;
  if (policy.kind === 'mask') {
    if (fields.length > 0 || fold(name) !== fold(policy.column)) {
      throw new PolicyFault(`a mask reads its own column ${policy.column} only, not ${names.join('.')}`);
    }
    return;
  }
  if (fields.length > 1) throw new PolicyFault(`columns are named without their table: ${names.join('.')}`);
  // `user` is the name of a column in many a table, and the session has the same user everywhere.
  if (fields.length === 0 && fold(name) !== 'user' && valueFunction(fold(name)) !== undefined) {
    throw new PolicyFault(`a policy does not read ${name}: it tells of the session or the time`);
  }
}

function checkCall(call: JsonObject, scope: Scope): void {
  checkFunction(call);
  arrayOf(call.children).forEach((child, i) => {
    if (isObject(child) && child.class === 'LAMBDA' && takesLambda(call) && i > 0) return checkLambda(child, scope);
    check(isObject(child) && namesArguments(call) ? { ...child, alias: '' } : child, scope);
  });
}

function checkLambda(lambda: JsonObject, scope: Scope): void {
  const names = lambdaParameters(lambda);
  if (names === null) throw notUnderstood('a lambda');
  check(lambda.expr, { ...scope, lambdas: new Set([...scope.lambdas, ...names]) });
}

/** The parameters of a lambda, folded: `x -> …`, `(x, i) -> …`; null where it has others. */
export function lambdaParameters({ lhs }: JsonObject): string[] | null {
  const list = isObject(lhs) && lhs.class === 'FUNCTION' && lhs.function_name === 'row' ? arrayOf(lhs.children) : [lhs];
  const names = list.map((one) => {
    const parts = isObject(one) && one.class === 'COLUMN_REF' ? arrayOf(one.column_names).map(stringOf) : [];
    return parts.length === 1 ? fold(parts[0] as string) : null;
  });
  return names.every((name) => name !== null) ? names : null;
}

function notUnderstood(what: string): PolicyFault {
  return new PolicyFault(`${what} of this form is not understood`);
}
