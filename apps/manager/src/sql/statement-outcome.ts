import type { AccessDenied } from '@gadwall/rbac';

/** A node's error answer, passed on as it is with the query's id. */
export interface NodeError {
  error: string;
  message: string;
  rule?: AccessDenied['rule'];
  objects?: AccessDenied['objects'];
  hint?: string;
  retryable?: boolean;
}

/** A statement that a node refused or failed: the body is the node's own. */
export class NodeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly body: NodeError,
  ) {
    super(body.message);
  }
}
