import type { ColumnPolicyCommand } from '../commands';
import { DomainError } from '../errors';
import type { ColumnRule, PolicyEvent } from '../events';
import { COLUMN_ACTIONS } from '../model';
import type { RoleColumnPolicy, TenantState } from '../state';
import { isName, sameName } from './names';
import { checkTuple, sameTuple } from './policy-tuple';
import { refuseBuiltin, roleOf } from './role';

/** Column policies of roles. Source: seed 000, "Column-level policies"; qod-api.md 1.3. */
export function decideColumnPolicy(command: ColumnPolicyCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'create-column-policy': {
      const { policyId, roleId, catalog, schema, table, column, action, transformSql, canonical } = command;
      refuseBuiltin(roleOf(state, roleId));
      checkTuple(command);
      if (!isName(column) || column === '*') {
        throw new DomainError('invalid_policy', { detail: 'column must be the name of one column, no *' });
      }
      checkRule(command);
      const there = columnPolicyOn(state, command);
      if (there) return changed(there, command);
      const data = { policyId, roleId, catalog, schema, table, column, action, transformSql, canonical };
      return [{ type: 'column-policy.created', data }];
    }
    case 'update-column-policy': {
      const policy = columnPolicyOf(state, command.policyId);
      checkRule(command);
      return changed(policy, command);
    }
    case 'delete-column-policy': {
      const { id, roleId } = columnPolicyOf(state, command.policyId);
      return [{ type: 'column-policy.deleted', data: { policyId: id, roleId } }];
    }
  }
}

/** The policy of that id, or 404. */
export function columnPolicyOf(state: TenantState, policyId: string): RoleColumnPolicy {
  const policy = state.columnPolicies.find((row) => row.id === policyId);
  if (policy === undefined) throw new DomainError('not_found');
  return policy;
}

/** What a role has on that column of that tuple, whatever the case of names; undefined if nothing. */
export function columnPolicyOn(
  state: TenantState,
  asked: Pick<RoleColumnPolicy, 'roleId' | 'catalog' | 'schema' | 'table' | 'column'>,
): RoleColumnPolicy | undefined {
  return state.columnPolicies.find(
    (row) => row.roleId === asked.roleId && sameTuple(row, asked) && sameName(row.column, asked.column),
  );
}

function checkRule({ action, transformSql, canonical }: ColumnRule): void {
  if (!COLUMN_ACTIONS.includes(action)) {
    throw new DomainError('invalid_policy', { detail: 'action must be deny or mask' });
  }
  if (action === 'deny' && (transformSql !== null || canonical !== null)) {
    throw new DomainError('invalid_policy', { detail: 'a policy that denies has no transformSql' });
  }
  if (action === 'mask' && (transformSql === null || canonical === null)) {
    throw new DomainError('invalid_policy', {
      detail: 'a mask needs transformSql, the expression that is shown instead',
    });
  }
}

function changed(policy: RoleColumnPolicy, { action, transformSql, canonical }: ColumnRule): PolicyEvent[] {
  const same = policy.action === action && policy.transformSql === transformSql && policy.canonical === canonical;
  if (same) return [];
  const { id: policyId, roleId } = policy;
  return [{ type: 'column-policy.changed', data: { policyId, roleId, action, transformSql, canonical } }];
}
