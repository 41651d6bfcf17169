import type { NodeReady, PrincipalsAnswer } from '@gadwall/rbac';

/** Where a stream stands: its last event's version, and that event's hash, which stands for all events before it. */
export interface StreamHead {
  stream: string;
  version: number;
  /** SHA-256, hex. */
  hash: string;
}

/** Versions that a mutation has just made, as the bus carries them. Signed by a manager. */
export interface VersionMessage {
  /** Which history of the store they belong to. */
  timeline: string;
  heads: StreamHead[];
}

/** A node asks for its lease. Signed by the node. */
export interface RenewalRequest {
  nodeId: string;
  /** Fresh for each request: its answer is good for this request alone. */
  nonce: string;
  /** What the node has applied: acknowledges it, should an acknowledgement have been lost. */
  known: StreamHead[];
}

/** What a renewal brings: versions that were read after the lease was committed. Signed by a manager. */
export interface RenewalAnswer {
  nodeId: string;
  nonce: string;
  timeline: string;
  heads: StreamHead[];
}

/** A node has applied these versions: nothing that it judged under older ones passes its second check. Signed by it. */
export interface Acknowledgement {
  nodeId: string;
  heads: StreamHead[];
}

/** Every signed message by the kind that its signature covers, so that none can be taken for another. */
export interface SignedContent {
  version: VersionMessage;
  renewal: RenewalRequest;
  'renewal-answer': RenewalAnswer;
  acknowledgement: Acknowledgement;
  ready: NodeReady;
  /** A node asks for a fresh handle of a statement that was overtaken while the engine took its snapshot (rule 4). */
  handle: { nodeId: string } & StatementSubject;
  /** A node takes nothing new, and ends when what runs there has. */
  leave: { nodeId: string };
  /** A node asks for the stream of versions. */
  follow: { nodeId: string };
  /** A node asks what has become of principals. */
  principals: { nodeId: string; nonce: string; running: RunningPrincipal[] };
  'principals-answer': PrincipalsAnswer;
}

/** What the handle of a statement is about. */
export interface StatementSubject extends RunningPrincipal {
  session: string | null;
  /** SHA-256, hex, over text and parameters. */
  statement: string;
}

/** Someone whose statement runs on a node. */
export interface RunningPrincipal {
  userId: string;
  tenant: string;
  poolId: string;
}
