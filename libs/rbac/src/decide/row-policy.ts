import type { RowPolicyCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent, RowRule } from '../events';
import type { TableTuple } from '../model';
import type { RoleRowPolicy, TenantState } from '../state';
import { checkTuple, sameTuple } from './policy-tuple';
import { refuseBuiltin, roleOf } from './role';

/** Row policies of roles: one predicate a tuple. Source: seed 000, "Row-level policies"; qod-api.md 1.3. */
export function decideRowPolicy(command: RowPolicyCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'create-row-policy': {
      const { policyId, roleId, catalog, schema, table, predicateSql, canonical } = command;
      refuseBuiltin(roleOf(state, roleId));
      checkTuple(command);
      const there = rowPolicyOn(state, command);
      if (there) return changed(there, command);
      const data = { policyId, roleId, catalog, schema, table, predicateSql, canonical };
      return [{ type: 'row-policy.created', data }];
    }
    case 'update-row-policy':
      return changed(rowPolicyOf(state, command.policyId), command);
    case 'delete-row-policy': {
      const { id, roleId } = rowPolicyOf(state, command.policyId);
      return [{ type: 'row-policy.deleted', data: { policyId: id, roleId } }];
    }
  }
}

/** What a role has on that tuple, whatever the case of names; undefined if nothing. */
export function rowPolicyOn(state: TenantState, asked: { roleId: string } & TableTuple): RoleRowPolicy | undefined {
  return state.rowPolicies.find((row) => row.roleId === asked.roleId && sameTuple(row, asked));
}

function rowPolicyOf(state: TenantState, policyId: string): RoleRowPolicy {
  const policy = state.rowPolicies.find((row) => row.id === policyId);
  if (policy === undefined) throw new DomainError('not_found');
  return policy;
}

function changed(policy: RoleRowPolicy, { predicateSql, canonical }: RowRule): PolicyEvent[] {
  if (policy.predicateSql === predicateSql && policy.canonical === canonical) return [];
  const { id: policyId, roleId } = policy;
  return [{ type: 'row-policy.changed', data: { policyId, roleId, predicateSql, canonical } }];
}
