import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { admittedMacro, type MacroName } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** Lets the tenant's users call a macro; gives its id, that of the one there already if it is admitted. */
export class AdmitMacro extends TenantCommand<string> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly macro: MacroName,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(AdmitMacro)
export class AdmitMacroHandler implements ICommandHandler<AdmitMacro> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, macro }: AdmitMacro): Promise<Mutated<string>> {
    const macroId = uuidv7();
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'admit-macro', macroId, ...macro },
      result: (after) => admittedMacro(after, macro)?.id ?? macroId,
    });
  }
}

/** Takes that back. */
export class WithdrawMacro extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly macroId: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(WithdrawMacro)
export class WithdrawMacroHandler implements ICommandHandler<WithdrawMacro> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, macroId }: WithdrawMacro): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: { type: 'withdraw-macro', macroId } });
  }
}
