import { Json } from '../ast';
import { boundExpression, Identity } from './bind';
import { canonicalText, withFoldedNames } from './canonical';
import { checkExpression, PolicyKind } from './check';
import { columnsIn } from './columns';
import { expressionIn, statementOf, unlocated } from './statement';
import { parameterised } from './tokens';

/** The parser of an engine: texts and trees go to it as bound parameters, and nothing of them is bound or run. */
export interface ExpressionParser {
  /** The tree that `json_serialize_sql` gives for a text; errors are in it. */
  parse(sql: string): Promise<Json>;
  /** The text that `json_deserialize_sql` gives for a tree. */
  write(tree: Json): Promise<string>;
}

/** An expression of a policy that was checked. */
export interface PolicyExpression {
  canonical: string;
  /** As `Parameterised.tokens`. */
  tokens: string[];
  /** The columns that it reads, folded. */
  columns: string[];
}

/**
 * Reads and checks the text of a policy.
 *
 * @throws PolicyFault naming the rule that is broken
 */
export async function readExpression(
  text: string,
  policy: PolicyKind,
  parser: ExpressionParser,
): Promise<PolicyExpression> {
  const { sql, tokens } = parameterised(text);
  const tree = await parser.parse(`SELECT ${sql}`);
  checkExpression(tree, policy);
  const expression = expressionIn(tree);
  const written = await parser.write(statementOf(withFoldedNames(unlocated(expression))));
  return { canonical: canonicalText(written), tokens, columns: columnsIn(expression) };
}

/**
 * The SQL of a policy for one principal, one expression: see `boundExpression`.
 *
 * @throws PolicyFault for a text that does not pass the check
 */
export async function boundText(
  canonical: string,
  identity: Identity,
  relation: string,
  parser: ExpressionParser,
): Promise<string> {
  const tree = await parser.parse(`SELECT ${parameterised(canonical).sql}`);
  const written = await parser.write(boundExpression(tree, identity, relation));
  return written.slice('SELECT '.length);
}
