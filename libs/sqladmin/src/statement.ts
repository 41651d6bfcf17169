import type { Verb } from '@gadwall/rbac';

/** Tables that a grant or a policy is on; each part a name as typed, or `*`. */
export interface TableRef {
  catalog: string;
  schema: string;
  table: string;
}

/** A view by the three parts of its name, as typed. */
export interface ViewRef {
  catalog: string;
  schema: string;
  name: string;
}

/** Who holds a role or a pool grant. */
export interface HolderName {
  kind: 'user' | 'group';
  name: string;
}

/** A pool by its name, which may say the database too; `pool` null = every pool of the tenant. */
export interface PoolRef {
  database: string | null;
  pool: string | null;
}

/**
 * A statement that changes policy. Names are as typed; those of users in Unicode's NFC, as accounts are stored. The only
 * secret is `password`: no statement is written to a log.
 */
export type ChangeStatement =
  | { type: 'create-role' | 'create-group'; name: string }
  | { type: 'drop-role' | 'drop-group' | 'drop-user'; name: string; ifExists: boolean }
  | { type: 'grant-role' | 'revoke-role'; role: string; holder: HolderName }
  | { type: 'add-member' | 'drop-member'; group: string; user: string }
  | { type: 'grant-table' | 'revoke-table'; verb: Verb; on: TableRef; role: string }
  | { type: 'grant-pool' | 'revoke-pool'; pool: PoolRef; holder: HolderName }
  /** `roles` and `groups` null = not given. */
  | {
      type: 'create-user';
      name: string;
      password: string;
      admin: boolean;
      roles: readonly string[] | null;
      groups: readonly string[] | null;
    }
  | { type: 'alter-user'; name: string; change: UserChange }
  /** `using` is the expression, put together anew from its tokens. */
  | { type: 'create-row-policy'; orReplace: boolean; on: TableRef; role: string; using: string }
  | { type: 'drop-row-policy'; ifExists: boolean; on: TableRef; role: string }
  /** `mask` null = the column is denied. */
  | {
      type: 'create-column-policy';
      orReplace: boolean;
      on: TableRef;
      column: string;
      role: string;
      mask: string | null;
    }
  | { type: 'drop-column-policy'; ifExists: boolean; on: TableRef; column: string; role: string }
  /** `query` likewise. */
  | { type: 'create-secure-view'; orReplace: boolean; view: ViewRef; query: string }
  | { type: 'drop-secure-view'; ifExists: boolean; view: ViewRef };

/** The statement of a type. */
export type Of<T extends ChangeStatement['type'], S = ChangeStatement> = S extends { type: infer U }
  ? T extends U
    ? S
    : never
  : never;

export type UserChange = { password: string } | { mustChangePassword: true } | { enabled: boolean };

/** Which policies a listing is of; all null = every one. */
export interface PolicyFilter {
  on: TableRef | null;
  role: string | null;
}

/** A statement that shows policy and changes nothing. */
export type ShowStatement =
  | { type: 'show-roles' | 'show-groups' | 'show-users' }
  | { type: 'show-grants'; of: { kind: 'role' | 'user'; name: string } }
  | { type: 'show-effective'; user: string }
  | ({ type: 'show-row-policies' | 'show-column-policies' } & PolicyFilter)
  | { type: 'show-pool-grants'; holder: HolderName | null };

/** A statement of the administration dialect, as plain data. Source: qod-api.md 1.8. */
export type AdminStatement = ChangeStatement | ShowStatement;

/** Whether a statement only shows. */
export function isShow(statement: AdminStatement): statement is ShowStatement {
  return statement.type.startsWith('show-');
}
