import { Injectable } from '@nestjs/common';
import type { StatementSubject } from '@gadwall/events';
import { DomainError, type FreshHandleAnswer, mintHandle } from '@gadwall/rbac';
import { Gate } from '../effective-set';
import { NodeLeases } from '../leases';
import type { NodeLink } from './node-link';
import { Principals } from './principals';

/**
 * Gate 1 again for a statement that was overtaken by a new version while the engine took its snapshot (DESIGN section 5,
 * rule 4): with the same set digest the node need not do its work twice.
 */
@Injectable()
export class FreshHandles {
  constructor(
    private readonly principals: Principals,
    private readonly gate: Gate,
    private readonly leases: NodeLeases,
  ) {}

  async mint({ nodeId, key }: NodeLink, subject: StatementSubject): Promise<FreshHandleAnswer> {
    const { userId, tenant, poolId, session, statement } = subject;
    // Before the versions: one that has just ended is refused by the node.
    const { timeline } = this.leases;
    try {
      // The node may have heard of more than this manager.
      await this.gate.refresh(tenant);
      const { digest, versions } = await this.principals.admit(userId, tenant, poolId);
      const content = { userId, nodeId, tenant, poolId, setDigest: digest, versions, timeline, session, statement };
      return { handle: mintHandle(key, content, Date.now()) };
    } catch (error) {
      if (error instanceof DomainError && error.status < 500) return { refused: error.reason };
      throw error;
    }
  }
}
