import { canonicalName, DomainError, foldName, type TenantState } from '@gadwall/rbac';
import type { AdminStatement, HolderName, PoolRef } from './statement';

/** An account as listings show it. */
export interface Account {
  id: string;
  /** In Unicode's NFC. */
  username: string;
  kind: string;
  enabled: boolean;
  email: string | null;
}

/** What the names of a statement stand for: a tenant's state, and its accounts, whose names no state holds. */
export interface Directory {
  /** With the edges and own pool grants of `accounts`. */
  state: TenantState;
  /** Those that {@link accountsOf} asks for; more do no harm. */
  accounts: readonly Account[];
  /** Of roles and groups, by their ids, where they have one; for SHOW ROLES and SHOW GROUPS alone. */
  descriptions?: ReadonlyMap<string, string>;
}

/** Which accounts a statement needs: those of these names, or those that hold a pool grant of their own, or all. */
export type AccountsNeeded = { named: readonly string[] } | 'holders of pools' | 'all';

/** The accounts that the directory of a statement must have. */
export function accountsOf(statement: AdminStatement): AccountsNeeded {
  if (statement.type === 'show-users') return 'all';
  if (statement.type === 'show-pool-grants' && statement.holder?.kind !== 'user') return 'holders of pools';
  return { named: usernamesIn(statement) };
}

function usernamesIn(statement: AdminStatement): string[] {
  switch (statement.type) {
    case 'create-user':
    case 'drop-user':
    case 'alter-user':
      return [statement.name];
    case 'add-member':
    case 'drop-member':
    case 'show-effective':
      return [statement.user];
    case 'grant-role':
    case 'revoke-role':
    case 'grant-pool':
    case 'revoke-pool':
    case 'show-pool-grants':
      return statement.holder?.kind === 'user' ? [statement.holder.name] : [];
    case 'show-grants':
      return statement.of.kind === 'user' ? [statement.of.name] : [];
    default:
      return [];
  }
}

const missing = (kind: string, name: string): DomainError => new DomainError('name_not_found', { kind, name });

const called = (name: string) => {
  const folded = foldName(canonicalName(name));
  return (thing: { name: string }): boolean => foldName(thing.name) === folded;
};

/** The id of a role, group or account; undefined when there is none of that name. */
export function findId(kind: 'role' | 'group' | 'user', name: string, { state, accounts }: Directory) {
  switch (kind) {
    case 'role':
      return state.roles.find(called(name))?.id;
    case 'group':
      return state.groups.find(called(name))?.id;
    case 'user':
      return accounts.find((account) => account.username === name)?.id;
  }
}

/** As {@link findId}; throws DomainError `not_found`, with the name, when there is none. */
export function idOf(kind: 'role' | 'group' | 'user', name: string, directory: Directory): string {
  const id = findId(kind, name, directory);
  if (id === undefined) throw missing(kind, name);
  return id;
}

/** The ends of a pool grant that a holder is. */
export function holderIds({ kind, name }: HolderName, directory: Directory) {
  const id = idOf(kind, name, directory);
  return kind === 'user' ? { userId: id, groupId: null } : { userId: null, groupId: id };
}

/** The id of a pool, null for every pool; a database that is named must be the pool's. */
export function poolIdOf({ database, pool }: PoolRef, { state }: Directory): string | null {
  if (pool === null) return null;
  const found = state.pools.find(({ name }) => foldName(name) === foldName(pool));
  const bound = state.databases.find(({ id }) => id === found?.databaseId);
  const other = database !== null && foldName(database) !== foldName(bound?.name ?? '');
  if (found === undefined || other) throw missing('pool', database === null ? pool : `${database}.${pool}`);
  return found.id;
}
