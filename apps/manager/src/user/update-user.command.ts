import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AccountChange, UserKind } from '@gadwall/rbac';
import { type Caller, Passwords } from '../auth';
import { type Mutated, Mutations, SystemWideCommand, TenantCommand } from '../mutation';
import { keepBesideEvents } from './account';

/** What of an account is to change; undefined stays. */
export interface AccountUpdate {
  kind?: UserKind;
  enabled?: boolean;
  mustChangePassword?: boolean;
  password?: string;
  /** null = none. */
  email?: string | null;
}

/** Changes a tenant's user. */
export class UpdateUser extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly userId: string,
    readonly update: AccountUpdate,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(UpdateUser)
export class UpdateUserHandler implements ICommandHandler<UpdateUser> {
  constructor(
    private readonly mutations: Mutations,
    private readonly passwords: Passwords,
  ) {}

  async execute({ caller, tenant, userId, update }: UpdateUser): Promise<Mutated<void>> {
    const passwordHash = await hashOf(this.passwords, update);
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'update-user', userId, ...changeOf(update) },
      effects: (db, { events }) => keepBesideEvents(db, tenant, events, { passwordHash, email: update.email }),
    });
  }
}

/** Changes a superuser. */
export class UpdateSuperuser extends SystemWideCommand {
  constructor(
    caller: Caller,
    readonly userId: string,
    readonly update: AccountUpdate,
  ) {
    super(caller);
  }
}

@CommandHandler(UpdateSuperuser)
export class UpdateSuperuserHandler implements ICommandHandler<UpdateSuperuser> {
  constructor(
    private readonly mutations: Mutations,
    private readonly passwords: Passwords,
  ) {}

  async execute({ caller, userId, update }: UpdateSuperuser): Promise<Mutated<void>> {
    const passwordHash = await hashOf(this.passwords, update);
    return this.mutations.inSystem(caller, {
      command: { type: 'update-superuser', userId, ...changeOf(update) },
      effects: (db, { events }) => keepBesideEvents(db, null, events, { passwordHash, email: update.email }),
    });
  }
}

const hashOf = (passwords: Passwords, { password }: AccountUpdate): Promise<string | null> =>
  password === undefined ? Promise.resolve(null) : passwords.hash(password);

const changeOf = ({ kind, enabled, mustChangePassword, password, email }: AccountUpdate): AccountChange => ({
  kind,
  enabled,
  mustChangePassword,
  password: password !== undefined,
  email: email !== undefined,
});
