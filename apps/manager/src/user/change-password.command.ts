import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Caller, Passwords } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';
import { keepBesideEvents } from './account';

/** A tenant's user changes their own password, having proven the one before; management rights are not asked for. */
export class ChangePassword extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly userId: string,
    readonly password: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(ChangePassword)
export class ChangePasswordHandler implements ICommandHandler<ChangePassword> {
  constructor(
    private readonly mutations: Mutations,
    private readonly passwords: Passwords,
  ) {}

  async execute({ caller, tenant, userId, password }: ChangePassword): Promise<Mutated<void>> {
    const passwordHash = await this.passwords.hash(password);
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'update-user', userId, password: true, email: false, mustChangePassword: false },
      own: true,
      effects: (db, { events }) => keepBesideEvents(db, tenant, events, { passwordHash }),
    });
  }
}
