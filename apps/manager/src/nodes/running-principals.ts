import { Inject, Injectable } from '@nestjs/common';
import type { Queryable, RunningPrincipal, Signed } from '@gadwall/events';
import { DomainError, type PrincipalsAnswer, signSet } from '@gadwall/rbac';
import { Gate } from '../effective-set';
import { NodeLeases } from '../leases';
import { READS } from '../postgres';
import { Principals } from './principals';

type Judged = PrincipalsAnswer['principals'][number];

/** Runs gate 1 again for those whose statements run on a node (DESIGN section 5, "Running statements"). */
@Injectable()
export class RunningPrincipals {
  constructor(
    @Inject(READS) private readonly db: Queryable,
    private readonly gate: Gate,
    private readonly principals: Principals,
    private readonly leases: NodeLeases,
  ) {}

  /**
   * What each of them may now; those of tenants in which a revoke leaves running statements alone are left out.
   * @throws DomainError `node_unknown`; a database error
   */
  async judge(signed: unknown): Promise<Signed> {
    const { nodeId, nonce, running } = this.leases.running(signed);
    const interrupting = await this.interrupting([...new Set(running.map(({ tenant }) => tenant))]);
    const principals: Judged[] = [];
    for (const tenant of interrupting) {
      // Another replica may have committed what the node heard of.
      await this.gate.refresh(tenant);
      for (const each of running) if (each.tenant === tenant) principals.push({ ...each, now: await this.now(each) });
    }
    return this.leases.answer({ nodeId, nonce, principals });
  }

  private async interrupting(tenants: string[]): Promise<string[]> {
    const { rows } = await this.db.query<{ id: string }>(
      'SELECT id FROM tenant WHERE id = ANY($1) AND interrupt_on_revoke',
      [tenants],
    );
    return rows.map(({ id }) => id);
  }

  private async now({ userId, tenant, poolId }: RunningPrincipal): Promise<Judged['now']> {
    try {
      const { set } = await this.principals.admit(userId, tenant, poolId);
      return { set: signSet(this.leases.signingKey, set) };
    } catch (error) {
      if (error instanceof DomainError && error.status < 500) return { refused: error.reason };
      throw error;
    }
  }
}
