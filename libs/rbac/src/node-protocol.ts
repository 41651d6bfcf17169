import type { ErrorReason } from './errors';
import { statementHash } from './handle';
import type { MacroName, SecureView } from './model';
import type { SignedSet } from './signed-set';

/**
 * What passes between manager and node over HTTP on the internal routes, as plain data.
 */

/** A registered node says that it serves. Signed by it. */
export interface NodeReady {
  nodeId: string;
  /** Where it listens. */
  url: string;
}

/** A database as a node opens it. */
export interface NodeCatalog {
  name: string;
  /** A DuckDB file, or `:memory:`. */
  path: string;
  readOnly: boolean;
  /** Absent: DuckDB. */
  type?: 'sqlite';
}

/** What a node serves: what it is told when it registers (libs/link, `JoinAnswer`). */
export interface NodeAssignment {
  catalogs: NodeCatalog[];
  defaultSchema: string;
  initSql: string | null;
  /** The public keys (SPKI, base64url) whose signature on an EffectiveSet the node takes. */
  managerKeys: string[];
  /** The times of leases: the manager has them in one place (libs/events, `LeaseTiming`). */
  lease: { ttlMs: number; renewMs: number; driftMargin: number; keepAliveMs: number };
}

/** What became of those whose statements run on a node, where the tenant has running statements judged again. Signed. */
export interface PrincipalsAnswer {
  nodeId: string;
  /** Of the question: the answer to another is not taken. */
  nonce: string;
  principals: { userId: string; tenant: string; poolId: string; now: { set: SignedSet } | { refused: ErrorReason } }[];
}

/** A handle of what is current now, for a statement under way; or why gate 1 does not let its principal through any more. */
export type FreshHandleAnswer = { handle: string } | { refused: ErrorReason };

/** Limits of one pool, for one statement. */
export interface StatementLimits {
  /** ms. */
  statementTimeoutMs: number;
  maxRows: number | null;
  maxConcurrent: number;
}

/** A statement for a node; the handle vouches for it. */
export interface NodeStatement {
  handle: string;
  /** Sent when the node has not had this digest; a node that lacks it answers `set_unknown`. */
  set?: SignedSet;
  queryId: string;
  sql: string;
  parameters: (string | number | boolean | null)[];
  format: 'json' | 'csv' | 'arrow';
  limits: StatementLimits;
}

/** Opening a session; the handle's statement is `SESSION_STATEMENT`. */
export interface NodeSessionRequest {
  handle: string;
  idleTimeoutSec: number;
  absoluteTimeoutSec: number;
}

export interface NodeSessionAnswer {
  session: string;
}

/**
 * A policy for a table of this node: whether its expression binds to it. The handle's statement is
 * {@link policyBindingHash} of this.
 */
export interface PolicyBinding {
  table: { catalog: string; schema: string; name: string };
  /** The column that is masked or denied; null for a predicate. */
  masked: string | null;
  /** SQL that a manager has made of a checked expression; null for a denial. Its columns are of `relation`. */
  expression: string | null;
  relation: string;
  /** All columns that the policy has to do with, folded. */
  columns: string[];
}

/** What came of it. `column`: the one that is missing. */
export type PolicyBindingOutcome =
  { outcome: 'bound' | 'no-table' | 'view' | 'unbound' | 'not-boolean' } | { outcome: 'no-column'; column: string };

/** What the handle for a policy's binding is minted for. */
export function policyBindingHash(policy: PolicyBinding): string {
  return statementHash('policy binding', [policy]);
}

/** A secure view that a node is to make in its catalog. The handle's statement is {@link secureViewHash} of this. */
export interface SecureViewMaking {
  view: MacroName;
  /** The query, as its author wrote it. */
  query: string;
  /** What is there under the name is replaced. */
  orReplace: boolean;
  /** The secure views that there are: the query may read them. */
  secureViews: readonly SecureView[];
}

/** What came of it. `refused`: the query breaks a rule of secure views; `invalid`: it cannot be made otherwise. */
export type SecureViewOutcome =
  { outcome: 'made'; view: SecureView } | { outcome: 'exists' } | { outcome: 'refused' | 'invalid'; message: string };

/** A secure view that is none any more: what a node still has of it in its catalog goes. Likewise. */
export interface SecureViewDropping {
  view: SecureView;
}

/** What the handle for the making or the dropping of a secure view is minted for. */
export function secureViewHash(work: SecureViewMaking | SecureViewDropping): string {
  return statementHash('secure view', [work]);
}

/** What the handle of a session's opening or closing is minted for. */
export const SESSION_STATEMENT = 'session';
