import type { PolicyEvent } from '@gadwall/rbac';
import type { ChangeStatement, HolderName, PoolRef, TableRef, ViewRef } from './statement';

const placeOf = ({ catalog, schema, table }: TableRef): string => `${catalog}.${schema}.${table}`;
const holderOf = ({ kind, name }: HolderName): string => `${kind} ${name}`;
const viewOf = ({ catalog, schema, name }: ViewRef): string => `${catalog}.${schema}.${name}`;
const poolOf = ({ pool }: PoolRef): string => (pool === null ? 'every pool' : `pool ${pool}`);

/**
 * What a statement has done, in a few words; no secret is in them.
 *
 * @param events what its commands made; none = nothing had to change
 */
export function summaryOf(statement: ChangeStatement, events: readonly PolicyEvent[]): string {
  if (statement.type === 'create-user' && !events.some(({ type }) => type === 'user.created')) {
    const memberships = events.length > 0 ? 'memberships were attached' : 'nothing to attach';
    return `user ${statement.name} was there already: ${memberships}, the password is as it was`;
  }
  return events.length > 0 ? deed(statement, events) : 'nothing to change';
}

const made = (events: readonly PolicyEvent[]): string =>
  events.some(({ type }) => type.endsWith('.changed')) ? 'changed' : 'created';

function deed(statement: ChangeStatement, events: readonly PolicyEvent[]): string {
  switch (statement.type) {
    case 'create-role':
      return `role ${statement.name} created`;
    case 'create-group':
      return `group ${statement.name} created`;
    case 'drop-role':
      return `role ${statement.name} dropped`;
    case 'drop-group':
      return `group ${statement.name} dropped`;
    case 'drop-user':
      return `user ${statement.name} dropped`;
    case 'grant-role':
      return `role ${statement.role} granted to ${holderOf(statement.holder)}`;
    case 'revoke-role':
      return `role ${statement.role} revoked from ${holderOf(statement.holder)}`;
    case 'add-member':
      return `user ${statement.user} added to group ${statement.group}`;
    case 'drop-member':
      return `user ${statement.user} removed from group ${statement.group}`;
    case 'grant-table':
      return `${statement.verb} on ${placeOf(statement.on)} granted to role ${statement.role}`;
    case 'revoke-table':
      return `${statement.verb} on ${placeOf(statement.on)} revoked from role ${statement.role}`;
    case 'grant-pool':
      return `${poolOf(statement.pool)} granted to ${holderOf(statement.holder)}`;
    case 'revoke-pool':
      return `${poolOf(statement.pool)} revoked from ${holderOf(statement.holder)}`;
    case 'create-user':
      return `user ${statement.name} created`;
    case 'alter-user':
      return `user ${statement.name} altered`;
    case 'create-row-policy':
      return `row policy of role ${statement.role} on ${placeOf(statement.on)} ${made(events)}`;
    case 'drop-row-policy':
      return `row policy of role ${statement.role} on ${placeOf(statement.on)} dropped`;
    case 'create-column-policy': {
      const { role, on, column } = statement;
      return `column policy of role ${role} on ${placeOf(on)}, column ${column}, ${made(events)}`;
    }
    case 'create-secure-view':
      return `secure view ${viewOf(statement.view)} ${made(events)}`;
    case 'drop-secure-view':
      return `secure view ${viewOf(statement.view)} dropped`;
    case 'drop-column-policy':
      return `column policy of role ${statement.role} on ${placeOf(statement.on)}, column ${statement.column}, dropped`;
  }
}
