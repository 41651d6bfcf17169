import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { fold } from '../lexer';
import { checkExpression, lambdaParameters } from './check';
import { PolicyFault } from './fault';
import { OPERATOR_FUNCTIONS } from './shapes';
import { expressionIn, statementOf, unlocated } from './statement';
import { tokenOf } from './tokens';

/** Whoever a policy is applied to; names of claims and attributes are compared by case. */
export interface Identity {
  user: string;
  tenant: string;
  roles: readonly string[];
  groups: readonly string[];
  claims: Readonly<Record<string, string>>;
  attrs: Readonly<Record<string, string>>;
}

interface Binding {
  readonly identity: Identity;
  /** Put before every column, so that none can mean that of another relation; null: columns stay as they are. */
  readonly relation: string | null;
  readonly lambdas: ReadonlySet<string>;
}

/**
 * The tree of a policy for one principal. Every token is the literal that it stands for: NULL where the principal has no
 * such claim or attribute, the elements of a list where one stands, NULL for an empty one (seed 000, "Identity substitution
 * tokens"). Every function and operator is `"system".main.<name>(…)`, which no macro shadows.
 *
 * @param tree as `checkExpression` takes it; it is checked again as a predicate's
 * @param relation an alias that every column is to be one of; null leaves columns unqualified
 * @returns a tree that `json_deserialize_sql` reads
 * @throws PolicyFault for a tree that the check does not pass, and for values with NUL or that are not valid Unicode
 */
export function boundExpression(tree: Json, identity: Identity, relation: string | null = null): JsonObject {
  checkExpression(tree, { kind: 'predicate' });
  return statementOf(bind(unlocated(expressionIn(tree)), { identity, relation, lambdas: new Set() }));
}

function bind(node: JsonObject, binding: Binding): JsonObject {
  switch (node.class) {
    case 'PARAMETER':
      return single(stringOf(node.identifier), binding.identity);
    case 'COLUMN_REF':
      return column(node, binding);
    case 'FUNCTION':
      return { ...bindFields(node, binding), ...OF_SYSTEM, is_operator: false };
    case 'LAMBDA':
      return lambda(node, binding);
    case 'OPERATOR':
      return operator(node, binding);
    default:
      return bindFields(node, binding);
  }
}

function bindFields(node: JsonObject, binding: Binding): JsonObject {
  return Object.fromEntries(Object.entries(node).map(([key, field]) => [key, bindField(field, binding)]));
}

function bindField(field: Json | undefined, binding: Binding): Json | undefined {
  if (Array.isArray(field)) return field.map((each) => bindField(each, binding) as Json);
  if (!isObject(field)) return field;
  return typeof field.class === 'string' ? bind(field, binding) : bindFields(field, binding);
}

const OF_SYSTEM = { catalog: 'system', schema: 'main' };

function call(name: string, children: Json[]): JsonObject {
  return {
    class: 'FUNCTION',
    type: 'FUNCTION',
    ...OF_SYSTEM,
    function_name: name,
    children,
    order_bys: { type: 'ORDER_MODIFIER', orders: [] },
    is_operator: false,
  };
}

function operator(node: JsonObject, binding: Binding): JsonObject {
  const name = OPERATOR_FUNCTIONS.get(stringOf(node.type));
  const children = arrayOf(node.children).flatMap((child): Json[] => {
    const token = isObject(child) && child.class === 'PARAMETER' ? stringOf(child.identifier) : '';
    if (token === 'roles' || token === 'groups') return elements(binding.identity[token]);
    return [bindField(child, binding) as Json];
  });
  return name === undefined ? { ...node, children } : call(name, children);
}

function lambda(node: JsonObject, binding: Binding): JsonObject {
  const lambdas = new Set([...binding.lambdas, ...(lambdaParameters(node) ?? [])]);
  return { ...node, expr: bindField(node.expr, { ...binding, lambdas }) };
}

function column(node: JsonObject, { relation, lambdas }: Binding): JsonObject {
  const [name = '', ...fields] = arrayOf(node.column_names).map(stringOf);
  const own = fields.length === 0 && lambdas.has(fold(name));
  if (own || relation === null) return node;
  const qualified: JsonObject = { ...node, column_names: [relation, name] };
  return fields.reduce<JsonObject>((inner, field) => call('struct_extract', [inner, literal(field)]), qualified);
}

/** A claim or an attribute that is not there is NULL. */
function single(parameter: string, identity: Identity): JsonObject {
  const [kind, name = ''] = (tokenOf(parameter) ?? '').split('.');
  switch (kind) {
    case 'user':
      return literal(identity.user);
    case 'tenant':
      return literal(identity.tenant);
    case 'claims':
      return literal(Object.hasOwn(identity.claims, name) ? (identity.claims[name] as string) : null);
    case 'attr':
      return literal(Object.hasOwn(identity.attrs, name) ? (identity.attrs[name] as string) : null);
    default:
      throw new PolicyFault(`\${${parameter}} has no single value`);
  }
}

function elements(values: readonly string[]): JsonObject[] {
  return values.length === 0 ? [literal(null)] : values.map(literal);
}

function literal(value: string | null): JsonObject {
  if (value !== null && (value.includes('\0') || !value.isWellFormed())) {
    throw new PolicyFault('a value of an identity token has characters that no text of SQL holds');
  }
  const held = value === null ? { is_null: true } : { is_null: false, value };
  return { class: 'CONSTANT', type: 'VALUE_CONSTANT', value: { type: { id: 'VARCHAR', type_info: null }, ...held } };
}
