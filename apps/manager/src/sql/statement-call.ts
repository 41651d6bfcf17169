import type { Readable } from 'node:stream';
import type { NodeStatement, PolicyVersions } from '@gadwall/rbac';
import type { Authenticated } from '../auth';

export type ResultFormat = NodeStatement['format'];

/** One statement of a client, at any SQL door. */
export interface StatementCall {
  principal: Authenticated;
  /** Under which the request is logged, and what it changes recorded. */
  requestId: string;
  tenant: string;
  pool: string;
  sql: string;
  parameters: NodeStatement['parameters'];
  session: string | null;
  maxRows: number | null;
  /** The answer must be of versions at least as new: read-your-writes across managers. */
  atLeast: PolicyVersions | null;
  format: ResultFormat;
  queryId: string;
  signal: AbortSignal;
}

/** A node's answer, whose bytes go through untouched, or that of a statement of the administration dialect. */
export interface StatementStream {
  contentType: string;
  /** False for a change of policy that is committed and not yet in force. */
  effective: boolean;
  policyVersion: string;
  body: Readable;
  /** Whether a limit of rows cut the answer short; known at its end. */
  isTruncated: () => boolean;
}
