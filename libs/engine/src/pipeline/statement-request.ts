import { EffectiveSet } from '@gadwall/rbac';
import { ParameterValue } from '@gadwall/rewriters';
import { NodeSession } from '../session';

export interface StatementRequest {
  userId: string;
  set: EffectiveSet;
  digest: string;
  poolId: string;
  sql: string;
  parameters: readonly ParameterValue[];
  session: NodeSession | null;
  /** ms. */
  timeLimit: number;
  /** Statements of the pool at once. */
  maxConcurrent: number;
  /**
   * The check before the statement is submitted and again when the engine has its snapshot: it throws when the versions
   * under which the statement was admitted are no longer in force (DESIGN section 5, rule 4).
   */
  assertCurrent: () => void;
  /** Asks for what is in force now; rejects when the principal is not let through any more, or nobody answers. */
  renew: () => Promise<Renewed>;
  /** Aborted when the client has gone. */
  signal?: AbortSignal;
  /** Called once, when the engine holds nothing of this statement any more: it may be long after it was answered. */
  onReleased?: () => void;
}

/** What a statement goes by that was let through again. */
export interface Renewed {
  /** Of the set that it would be judged with now. */
  digest: string;
  assertCurrent: () => void;
}
