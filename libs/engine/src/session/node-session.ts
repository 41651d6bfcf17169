import { EffectiveSet } from '@gadwall/rbac';
import { Description, SearchPath } from '@gadwall/rewriters';
import { NodeConnection } from '../duckdb';
import { PreparedStatements } from './prepared-statements';

/** Whose session it is; it never changes (DESIGN section 6). */
export interface SessionOwner {
  userId: string;
  tenant: string;
  poolId: string;
}

/** The transaction that a user has open. */
export interface OpenTransaction {
  /** Digest of the set under which it began. */
  digest: string;
  /** What was changed in it, rows and names, each with the digest that allowed it: judged again at COMMIT. */
  changes: { set: EffectiveSet; digest: string; description: Description }[];
  /** It changed what names mean to this session, and its end may undo that. */
  changedNames: boolean;
  /** It changed names: nothing it describes may be cached, and its end moves the catalog epoch. */
  changedCatalog: boolean;
  /** Why it was ended; only ROLLBACK is answered then. */
  aborted: string | null;
}

/** A connection that a user keeps: transactions, temporary objects, settings, variables, search path. */
export class NodeSession {
  transaction: OpenTransaction | null = null;
  /** Moves with what names mean to this session alone: settings, search path, temporary objects. 0 = as opened. */
  epoch = 0;
  path: SearchPath | null = null;
  /** A variable was set in it, or a setting other than its search path: it stays so until it ends. */
  altered = false;
  readonly prepared = new PreparedStatements();
  busy = false;
  closed = false;
  /** What the engine holds for it is not known any more: nothing runs in it, it is closed. */
  lost = false;
  private ended = false;
  lastUsedAt: number;

  constructor(
    readonly id: string,
    readonly owner: SessionOwner,
    readonly connection: NodeConnection,
    readonly openedAt: number,
  ) {
    this.lastUsedAt = openedAt;
  }

  /** Gives the connection up, once. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.connection.close();
  }

  /** Something that names or literals depend on has changed in this session. */
  changed(): void {
    this.epoch++;
    this.path = null;
    this.connection.forgetPrepared();
  }
}
