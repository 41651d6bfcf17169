import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Audit } from '../audit';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';

/** Tells at every start which policies are switched off on the whole installation. Source: seed 000, "Kill switch". */
@Injectable()
export class KillSwitches implements OnApplicationBootstrap {
  private readonly log = new Logger('policies');

  constructor(
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
    private readonly audit: Audit,
  ) {}

  /** What is off, in words; empty when every policy is in force. */
  get off(): string[] {
    const { columnPolicies, rowPolicies } = this.config.policies;
    return [...(columnPolicies ? [] : ['column policies']), ...(rowPolicies ? [] : ['row policies'])];
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.off.length === 0) return;
    const what = this.off.join(' and ').toUpperCase();
    this.log.warn({ message: `${what} ARE OFF: everybody reads what they hide, until a start without the switch` });
    await this.audit.record({
      family: 'control-plane',
      action: 'policies.off',
      actor: null,
      tenant: null,
      outcome: 'ok',
      detail: { ...this.config.policies },
    });
  }
}
