import type { Actor, PolicyCommand } from '../commands';
import type { PolicyEvent } from '../events';
import type { TenantState } from '../state';
import { decideColumnPolicy } from './column-policy';
import { decideDatabase } from './database';
import { decideGroup, decideMembership, decidePoolPermission } from './group';
import { decideMacro } from './macro';
import { decidePool } from './pool';
import { decideRole } from './role';
import { decideRowPolicy } from './row-policy';
import { decideSource } from './source';
import { decideSecureView } from './secure-view';
import { decideUser } from './user';

export { columnPolicyOf, columnPolicyOn } from './column-policy';
export { admittedMacro } from './macro';
export { rowPolicyOn } from './row-policy';
export { secureViewNamed } from './secure-view';
export { decideSystem, type SystemDecision } from './system';

/**
 * The events that a command makes of a tenant's state; none when it changes nothing. Whether the actor may is another
 * question: see the guard.
 *
 * @throws DomainError with the reason of a refusal
 */
export function decide(command: PolicyCommand, state: TenantState, actor: Actor): PolicyEvent[] {
  switch (command.type) {
    case 'create-role':
    case 'delete-role':
    case 'grant-permission':
    case 'revoke-permission':
      return decideRole(command, state);
    case 'create-column-policy':
    case 'update-column-policy':
    case 'delete-column-policy':
      return decideColumnPolicy(command, state);
    case 'create-row-policy':
    case 'update-row-policy':
    case 'delete-row-policy':
      return decideRowPolicy(command, state);
    case 'create-group':
    case 'delete-group':
      return decideGroup(command, state);
    case 'add-user-role':
    case 'remove-user-role':
    case 'add-user-group':
    case 'remove-user-group':
    case 'add-group-role':
    case 'remove-group-role':
      return decideMembership(command, state);
    case 'grant-pool':
    case 'revoke-pool':
      return decidePoolPermission(command, state);
    case 'create-user':
    case 'recreate-user':
    case 'update-user':
    case 'delete-user':
      return decideUser(command, state, actor);
    case 'create-database':
    case 'update-database':
    case 'delete-database':
      return decideDatabase(command, state);
    case 'create-pool':
    case 'scale-pool':
    case 'stop-pool':
    case 'switch-pool':
    case 'delete-pool':
      return decidePool(command, state);
    case 'admit-macro':
    case 'withdraw-macro':
      return decideMacro(command, state, actor);
    case 'create-secure-view':
    case 'drop-secure-view':
      return decideSecureView(command, state, actor);
    case 'create-source':
    case 'delete-source':
      return decideSource(command, state, actor);
  }
}
