import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, type Memberships, type UserKind } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, Passwords } from '../auth';
import { type Mutated, Mutations, SystemWideCommand, TenantCommand } from '../mutation';
import { findAccount, keepBesideEvents } from './account';

/** An account to be made. */
export interface AccountPlan {
  username: string;
  password: string;
  kind: UserKind;
  mustChangePassword: boolean;
  email: string | null;
}

/**
 * Makes a tenant's user with memberships; gives the id. For a name that exists it attaches the memberships that are
 * named and changes nothing else, the password neither (seed 000, "Memberships at user creation").
 */
export class CreateUser extends TenantCommand<string> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly plan: AccountPlan,
    readonly memberships: Memberships,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreateUser)
export class CreateUserHandler implements ICommandHandler<CreateUser> {
  constructor(
    private readonly mutations: Mutations,
    private readonly passwords: Passwords,
  ) {}

  async execute({ caller, tenant, plan, memberships }: CreateUser): Promise<Mutated<string>> {
    const { username, email, kind, mustChangePassword } = plan;
    // Before the lock: a hash takes far longer than everything under it.
    const passwordHash = await this.passwords.hash(plan.password);
    let userId = uuidv7();
    return this.mutations.inTenant(caller, tenant, {
      command: async (db) => {
        const existing = await findAccount(db, tenant, username);
        if (existing === null) return { type: 'create-user', userId, kind, mustChangePassword, ...memberships };
        userId = existing;
        return { type: 'recreate-user', userId, ...memberships };
      },
      effects: (db, { events }) => keepBesideEvents(db, tenant, events, { username, email, passwordHash }),
      result: () => userId,
    });
  }
}

/** Makes a superuser; gives the id. */
export class CreateSuperuser extends SystemWideCommand<string> {
  constructor(
    caller: Caller,
    readonly plan: AccountPlan,
  ) {
    super(caller);
  }
}

@CommandHandler(CreateSuperuser)
export class CreateSuperuserHandler implements ICommandHandler<CreateSuperuser> {
  constructor(
    private readonly mutations: Mutations,
    private readonly passwords: Passwords,
  ) {}

  async execute({ caller, plan }: CreateSuperuser): Promise<Mutated<string>> {
    const { username, email, kind, mustChangePassword } = plan;
    const passwordHash = await this.passwords.hash(plan.password);
    const userId = uuidv7();
    const made = await this.mutations.inSystem(caller, {
      command: { type: 'create-superuser', userId, kind, mustChangePassword },
      effects: async (db, { events }) => {
        if ((await findAccount(db, null, username)) !== null) throw new DomainError('user_exists');
        await keepBesideEvents(db, null, events, { username, email, passwordHash });
      },
    });
    return made.with(userId);
  }
}
