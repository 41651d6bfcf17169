import { Injectable, Logger } from '@nestjs/common';
import { mintHandle } from '@gadwall/rbac';
import { Gate, type PoolBinding } from '../effective-set';
import { NodeLeases } from '../leases';
import { NodeLink } from './node-link';

/** What is asked of a node beside statements. */
export interface NodeQuestion {
  /** An internal route. */
  path: string;
  /** What the handle is minted for: it vouches for all of `body`. */
  hash: string;
  /** Sent beside the handle. */
  body: object;
  /** ms that the node may take. */
  limitMs: number;
}

/** The way of the manager's own questions to its nodes. */
@Injectable()
export class NodeQuestions {
  private readonly log = new Logger('nodes');

  constructor(
    private readonly gate: Gate,
    private readonly leases: NodeLeases,
  ) {}

  /** What the node answers; null when it does not, which the log tells. */
  async ask(link: NodeLink, { tenant, poolId }: PoolBinding, question: NodeQuestion): Promise<unknown> {
    const { path, hash, body, limitMs } = question;
    try {
      const { timeline } = this.leases;
      const subject = { userId: 'api-key', nodeId: link.nodeId, tenant, poolId };
      const versions = await this.gate.versions(tenant);
      const content = { ...subject, setDigest: '', versions, timeline, session: null, statement: hash };
      const handle = mintHandle(link.key, content, Date.now());
      const answer = await link.post(path, { handle, ...body }, AbortSignal.timeout(limitMs));
      const read: unknown = await answer.body.json();
      if (answer.statusCode === 200) return read;
      this.log.warn({ message: 'a node did not answer', path, nodeId: link.nodeId, status: answer.statusCode });
    } catch (error) {
      this.log.warn({ message: 'a node did not answer', path, nodeId: link.nodeId, err: error });
    }
    return null;
  }
}
