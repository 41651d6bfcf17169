import { DomainError } from '@gadwall/rbac';
import { type ExpressionParser, PolicyFault, type PolicyKind, readExpression } from '@gadwall/rewriters';

/** The canonical form of a policy's expression. @throws DomainError `invalid_policy` */
export async function checkedExpression(text: string, policy: PolicyKind, parser: ExpressionParser): Promise<string> {
  try {
    return (await readExpression(text, policy, parser)).canonical;
  } catch (error) {
    if (error instanceof PolicyFault) throw new DomainError('invalid_policy', { detail: error.message });
    throw error;
  }
}
