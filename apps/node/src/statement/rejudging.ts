import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@gadwall/rbac';
import type { Admission } from '../admission';
import type { LeaseKeeper, ManagerLine } from '../lease';
import type { RunningStatements } from './running-statements';

const RETRY_MS = 100;

/**
 * Has running statements judged again when the policy moves, where the tenant wants it (DESIGN section 5, "Running
 * statements"): one question to a manager for all of them, and none while nothing runs.
 */
export class Rejudging {
  private underWay = false;
  private again = false;

  constructor(
    private readonly running: RunningStatements,
    private readonly lease: LeaseKeeper,
    private readonly admission: Admission,
    private readonly manager: ManagerLine,
    private readonly timeoutMs: number,
  ) {
    lease.onLearned(() => this.start());
    // Admitted under versions that were overtaken before it could be asked about.
    running.onAdded(({ handle }) => {
      const { [handle.tenant]: tenant = 0, $system: system = 0 } = lease.versions;
      if (handle.versions.tenant < tenant || handle.versions.system < system) this.start();
    });
  }

  private start(): void {
    if (this.underWay) this.again = true;
    else void this.run();
  }

  private async run(): Promise<void> {
    this.underWay = true;
    do {
      this.again = false;
      await this.judge().catch(async () => {
        // No manager answers, or somebody else does: asked again as long as something runs.
        this.again = true;
        await delay(RETRY_MS, undefined, { ref: false });
      });
    } while (this.again);
    this.underWay = false;
  }

  private async judge(): Promise<void> {
    const running = this.running.principals();
    if (running.length === 0) return;
    const nonce = randomUUID();
    const question = this.lease.ask('principals', { nodeId: this.lease.nodeId, nonce, running });
    const signed = await this.manager.ask('/internal/nodes/principals', question, this.timeoutMs);
    const answer = this.lease.principals(signed, nonce);
    if (!answer) throw new Error('the answer is not of the manager that was asked');
    for (const { now, ...principal } of answer.principals) {
      const set = 'set' in now ? this.admission.verified(now.set) : null;
      if ('refused' in now) this.running.judge(principal, new DomainError(now.refused));
      else if (set) this.running.judge(principal, set);
    }
  }
}
