import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { bindPolicy, Engine } from '@gadwall/engine';
import { DomainError, type PolicyBinding, policyBindingHash, type PolicyBindingOutcome } from '@gadwall/rbac';
import { Admission } from '../admission';

/** Whether policies fit the tables that this node has; a manager asks before it takes one. */
@Controller('internal/policy')
export class PolicyController {
  constructor(
    private readonly admission: Admission,
    private readonly engine: Engine,
  ) {}

  /** The handle vouches for all of it. */
  @Post('bind')
  @HttpCode(200)
  bind(@Body() request: { handle?: string; policy?: PolicyBinding } | undefined): Promise<PolicyBindingOutcome> {
    const { handle, policy } = request ?? {};
    if (!policy) throw new DomainError('handle_refused', { reason: 'malformed' });
    this.admission.admitSession(handle ?? '', policyBindingHash(policy));
    return bindPolicy(this.engine, policy);
  }
}
