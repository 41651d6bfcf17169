import { Json } from '../ast';
import { canonicalText, withFoldedNames } from './canonical';
import { checkExpression, PolicyKind } from './check';
import { expressionIn, statementOf, unlocated } from './statement';
import { parameterised } from './tokens';

/** The parser of an engine that holds nothing: its texts go to it as bound parameters. */
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
  const written = await parser.write(statementOf(withFoldedNames(unlocated(expressionIn(tree)))));
  return { canonical: canonicalText(written), tokens };
}
