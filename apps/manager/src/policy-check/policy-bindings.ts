import { Injectable } from '@nestjs/common';
import { foldName, type PolicyBinding, policyBindingHash, type PolicyBindingOutcome } from '@gadwall/rbac';
import { Gate } from '../effective-set';
import { NodeFleet, NodeQuestions } from '../nodes';

/** ms that a node may take to say whether a policy fits; one that is slower is not waited for. */
const LIMIT_MS = 3000;

/** Asks nodes that run whether a policy fits its table. */
@Injectable()
export class PolicyBindings {
  constructor(
    private readonly gate: Gate,
    private readonly fleet: NodeFleet,
    private readonly questions: NodeQuestions,
  ) {}

  /**
   * What the first node of the tenant says that has the table; `no-table` when none does, or none runs. The expression has
   * passed its check: what cannot be asked now is found when it is used, and refused then.
   */
  async outcome(tenant: string, policy: PolicyBinding): Promise<PolicyBindingOutcome> {
    const bindings = await this.gate.bindings(tenant);
    // The database of that catalog first; a federated source may be on a node of any.
    const own = bindings.filter(({ defaultDatabase }) => foldName(defaultDatabase) === foldName(policy.table.catalog));
    const question = {
      path: '/internal/policy/bind',
      hash: policyBindingHash(policy),
      body: { policy },
      limitMs: LIMIT_MS,
    };
    const asked = new Set<string>();
    for (const binding of [...own, ...bindings]) {
      const link = this.fleet.runningLink(binding);
      if (!link || asked.has(link.nodeId)) continue;
      asked.add(link.nodeId);
      const answer = (await this.questions.ask(link, binding, question)) as PolicyBindingOutcome | null;
      if (answer !== null && answer.outcome !== 'no-table') return answer;
    }
    return { outcome: 'no-table' };
  }
}
