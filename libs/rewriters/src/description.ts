/**
 * What the bound plan of one statement touches, as plain data. The verdict (libs/rbac) is a function of an EffectiveSet
 * and this. Names are in the catalog's own spelling where the object exists, as typed where it does not.
 */

/** The access DuckDB resolved for an object. Source: seed 000, "Verbs". */
export type Access = 'read' | 'insert' | 'update' | 'delete' | 'create' | 'drop' | 'alter';

export type ObjectKind = 'table' | 'view' | 'schema' | 'sequence' | 'type' | 'index' | 'macro' | 'catalog';

/** A name as three parts; never a joined string. `name` is `*` for a schema-wide access. */
export interface ObjectName {
  catalog: string;
  schema: string;
  name: string;
}

export interface ObjectAccess extends ObjectName {
  kind: ObjectKind;
  access: Access;
  /** Columns touched, in the catalog's spelling; empty when the access is to the whole object. */
  columns: string[];
  /** True for an object of the session's own temp catalog: needs no grant. */
  temporary: boolean;
  /** The plain views through which a base object is reached, outermost first; the reader's rights apply. */
  via: ObjectName[];
  /**
   * The name in the statement that leads here, the object's own or that of a view over it, as all that it could mean in
   * this session, and its kind as far as its place tells: what one may hear whom no grant tells that the object exists.
   * Of what only the body of a macro names it is the macro. Empty: no name leads here.
   */
  written: readonly (ObjectName & { kind: ObjectKind })[];
  /** The object does not exist (as far as this session can see): refused in the same words as a hidden one. */
  missing: boolean;
}

/** Statement kinds, one per admitted leading keyword and plan root. */
export type StatementKind =
  | 'SELECT'
  | 'INSERT'
  | 'UPDATE'
  | 'DELETE'
  | 'MERGE'
  | 'CREATE'
  | 'DROP'
  | 'ALTER'
  | 'COMMENT'
  | 'COPY'
  | 'SET'
  | 'USE'
  | 'TRANSACTION'
  | 'EXPLAIN'
  | 'ATTACH'
  | 'DETACH'
  | 'VACUUM'
  | 'CHECKPOINT'
  | 'CALL';

/** The rule that a refusal names. Source: reference/api.md, "Errors". */
export type RefusalRule =
  | 'grant'
  | 'deny'
  | 'column-policy'
  | 'row-policy'
  | 'function'
  | 'setting'
  | 'statement'
  | 'listing'
  | 'file'
  | 'secure-view'
  | 'not-described'
  | 'catalog';

/** A refusal found while screening, parsing or describing; it holds whatever the principal is granted. */
export interface Finding {
  rule: RefusalRule;
  message: string;
  /** A mechanism rule: it binds superusers too. */
  bindsSuperusers: boolean;
  /** The name of a call that is not classified: it may be that of a macro which is admitted. */
  unclassified?: string;
}

export interface Description {
  kind: StatementKind;
  /** Column and row policies can be put into it: every read in it is one that a query makes. */
  governable: boolean;
  objects: ObjectAccess[];
  functions: string[];
  settings: string[];
  files: string[];
  /** The macros of users that are called: only while they are admitted. */
  macros: ObjectName[];
  /** The secure views that are read with their owner's rights: only while they are secure ones. */
  secureViews: ObjectName[];
  findings: Finding[];
}
