/** The words of the access model. Source: seed 000, "Entities" and "Table permissions". */

export type Verb = 'RO' | 'RW' | 'DDL' | 'ALL';
export const VERBS: readonly Verb[] = ['RO', 'RW', 'DDL', 'ALL'];

/** The three classes that an access collapses into. */
export type AccessClass = 'Read' | 'Write' | 'Ddl';

/** Doors make only `allow` for now; the verdict honours both, deny wins. */
export type Effect = 'allow' | 'deny';

/** Management rights of an account; grants no table and no pool. */
export type UserKind = 'user' | 'admin';

/** One verb on a catalog.schema.table triple; each part may be `*`. */
export interface TablePermission {
  effect: Effect;
  catalog: string;
  schema: string;
  table: string;
  verb: Verb;
}

/** A catalog.schema.table triple, each part of which may be `*`. */
export interface TableTuple {
  catalog: string;
  schema: string;
  table: string;
}

export type ColumnAction = 'deny' | 'mask';
export const COLUMN_ACTIONS: readonly ColumnAction[] = ['deny', 'mask'];

/** Of every table of the tuple that has the column. `transformSql`: null for deny; in a set, the canonical form. */
export interface ColumnPolicy extends TableTuple {
  column: string;
  action: ColumnAction;
  transformSql: string | null;
}

/** Of every table of the tuple. `predicateSql`: in a set, the canonical form. */
export interface RowPolicy extends TableTuple {
  predicateSql: string;
}

/** A policy with the name of the role that carries it. */
export type OfRole<P> = P & { role: string };

/** A macro of a database, by its folded name in three parts: all its overloads, scalar or table. */
export interface MacroName {
  catalog: string;
  schema: string;
  name: string;
}

/** What the body of a secure view reads: a base table, or another secure view (`view`). As named in the body. */
export interface SecureViewBase extends MacroName {
  kind: 'table' | 'view';
}

/** What a secure view stands for, whatever the catalog has under its name. Source: DESIGN section 6, "Secure views". */
export interface SecureViewBody {
  /** The query, as the engine's catalog keeps it. */
  body: string;
  /** The names of its columns, in order: what a base table gains later is none of them. */
  columns: readonly string[];
  bases: readonly SecureViewBase[];
}

/** A secure view of a tenant, by its name in three parts. */
export interface SecureView extends MacroName, SecureViewBody {}

/**
 * The closure of a user's roles, groups, pools and permissions at one policy version: everything a verdict depends on.
 * Equal digest, equal verdicts. Source: seed 000, "The EffectiveSet"; DESIGN section 1, "set digest".
 */
export interface EffectiveSet {
  username: string;
  /** null = superuser. */
  tenant: string | null;
  /** Names, sorted. */
  roles: string[];
  groups: string[];
  /** Pool ids the user may use, sorted; `*` = every pool of the tenant. */
  pools: string[] | '*';
  permissions: TablePermission[];
  columnPolicies: OfRole<ColumnPolicy>[];
  rowPolicies: OfRole<RowPolicy>[];
  aclMode: 'grants';
  /** The catalogs that a `*` catalog reaches: the tenant's own databases, folded and sorted. */
  catalogs: string[];
  /** The macros that a superuser has admitted for the tenant: folded, sorted, each once. No other one may be called. */
  macros: MacroName[];
  /** All secure views of the tenant, names folded, sorted by them. Of a superuser none: they read what the catalog has. */
  secureViews: SecureView[];
}
