import { DomainError, type FreshHandleAnswer, type Handle } from '@gadwall/rbac';
import type { LeaseKeeper, ManagerLine } from '../lease';
import type { Admission, Admitted } from './admission';

/** Asks a manager for handles of statements that were overtaken (DESIGN section 5, rule 4). */
export class FreshHandles {
  constructor(
    private readonly lease: LeaseKeeper,
    private readonly manager: ManagerLine,
    private readonly admission: Admission,
    private readonly timeoutMs: number,
  ) {}

  /** @throws DomainError the refusal of gate 1, or what `Admission.admitAgain` throws; an error when no manager answers in time */
  async of(before: Handle): Promise<Omit<Admitted, 'set'>> {
    const { userId, tenant, poolId, session, statement } = before;
    const subject = { nodeId: this.lease.nodeId, userId, tenant, poolId, session, statement };
    const question = this.lease.ask('handle', subject);
    const answer = (await this.manager.ask('/internal/nodes/handle', question, this.timeoutMs)) as FreshHandleAnswer;
    if ('refused' in answer) throw new DomainError(answer.refused);
    return this.admission.admitAgain(answer.handle, before);
  }
}
