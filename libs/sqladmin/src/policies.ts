import { columnPolicyOn, DomainError, type PolicyCommand, rowPolicyOn } from '@gadwall/rbac';
import type { PolicyKind } from '@gadwall/rewriters';
import { type Directory, idOf } from './directory';
import type { ChangeStatement, Of, TableRef } from './statement';

/** The expression that a statement gives a policy, and what it is for; null for a statement without one. */
export function expressionOf(statement: ChangeStatement): { text: string; policy: PolicyKind } | null {
  switch (statement.type) {
    case 'create-row-policy':
      return { text: statement.using, policy: { kind: 'predicate' } };
    case 'create-column-policy': {
      const { mask: text, column } = statement;
      return text === null ? null : { text, policy: { kind: 'mask', column } };
    }
    default:
      return null;
  }
}

type Created = Of<'create-row-policy' | 'create-column-policy'>;
type Dropped = Of<'drop-row-policy' | 'drop-column-policy'>;

const placeOf = ({ catalog, schema, table }: TableRef): string => `${catalog}.${schema}.${table}`;

/** @throws DomainError `not_found`, `invalid_policy` */
export function createdPolicy(
  statement: Created,
  directory: Directory,
  newId: () => string,
  canonical: string | null,
): PolicyCommand {
  const { on, role, orReplace } = statement;
  const roleId = idOf('role', role, directory);
  const found = policyIdOn(statement, directory);
  if (found !== undefined && !orReplace) {
    throw new DomainError('policy_exists', { name: role, place: placeOf(on) });
  }
  const policyId = newId();
  if (statement.type === 'create-column-policy') {
    const { column, mask: transformSql } = statement;
    const action = transformSql === null ? 'deny' : 'mask';
    return { type: 'create-column-policy', policyId, roleId, ...on, column, action, transformSql, canonical };
  }
  if (canonical === null) throw new DomainError('internal');
  return { type: 'create-row-policy', policyId, roleId, ...on, predicateSql: statement.using, canonical };
}

/** Nothing to do where there is none and IF EXISTS says so. @throws DomainError `not_found` */
export function droppedPolicy(statement: Dropped, directory: Directory): PolicyCommand[] {
  const { on, role, ifExists } = statement;
  const policyId = policyIdOn(statement, directory);
  if (policyId !== undefined) {
    return [{ type: statement.type === 'drop-row-policy' ? 'delete-row-policy' : 'delete-column-policy', policyId }];
  }
  if (ifExists) return [];
  const what = statement.type === 'drop-row-policy' ? 'row policy' : `policy of column ${statement.column}`;
  throw new DomainError('grant_not_found', { detail: `role ${role} has no ${what} on ${placeOf(on)}` });
}

function policyIdOn(statement: Created | Dropped, directory: Directory): string | undefined {
  const asked = { roleId: idOf('role', statement.role, directory), ...statement.on };
  return 'column' in statement
    ? columnPolicyOn(directory.state, { ...asked, column: statement.column })?.id
    : rowPolicyOn(directory.state, asked)?.id;
}
