import { Injectable, Logger } from '@nestjs/common';
import { foldName, mintHandle, type PolicyBinding, policyBindingHash, type PolicyBindingOutcome } from '@gadwall/rbac';
import { Gate, type PoolBinding } from '../effective-set';
import { NodeLeases } from '../leases';
import { NodeFleet, type NodeLink } from '../nodes';

/** ms that a node may take to say whether a policy fits; one that is slower is not waited for. */
const LIMIT_MS = 3000;

/** Asks nodes that run whether a policy fits its table. */
@Injectable()
export class PolicyBindings {
  private readonly log = new Logger('policies');

  constructor(
    private readonly gate: Gate,
    private readonly fleet: NodeFleet,
    private readonly leases: NodeLeases,
  ) {}

  /**
   * What the first node of the tenant says that has the table; `no-table` when none does, or none runs. The expression has
   * passed its check: what cannot be asked now is found when it is used, and refused then.
   */
  async outcome(tenant: string, policy: PolicyBinding): Promise<PolicyBindingOutcome> {
    const bindings = await this.gate.bindings(tenant);
    // The database of that catalog first; a federated source may be on a node of any.
    const own = bindings.filter(({ defaultDatabase }) => foldName(defaultDatabase) === foldName(policy.table.catalog));
    const asked = new Set<string>();
    for (const binding of [...own, ...bindings]) {
      const link = this.fleet.runningLink(binding);
      if (!link || asked.has(link.nodeId)) continue;
      asked.add(link.nodeId);
      const answer = await this.ask(link, binding, policy);
      if (answer !== null && answer.outcome !== 'no-table') return answer;
    }
    return { outcome: 'no-table' };
  }

  private async ask(link: NodeLink, binding: PoolBinding, policy: PolicyBinding): Promise<PolicyBindingOutcome | null> {
    try {
      const { timeline } = this.leases;
      const subject = { userId: 'api-key', nodeId: link.nodeId, tenant: binding.tenant, poolId: binding.poolId };
      const versions = await this.gate.versions(binding.tenant);
      const content = {
        ...subject,
        setDigest: '',
        versions,
        timeline,
        session: null,
        statement: policyBindingHash(policy),
      };
      const handle = mintHandle(link.key, content, Date.now());
      const answer = await link.post('/internal/policy/bind', { handle, policy }, AbortSignal.timeout(LIMIT_MS));
      const body: unknown = await answer.body.json();
      if (answer.statusCode === 200) return body as PolicyBindingOutcome;
      this.log.warn({
        message: 'a node did not say whether a policy fits',
        nodeId: link.nodeId,
        status: answer.statusCode,
      });
    } catch (error) {
      this.log.warn({ message: 'a node did not say whether a policy fits', nodeId: link.nodeId, err: error });
    }
    return null;
  }
}
