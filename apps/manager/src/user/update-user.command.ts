import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Queryable } from '@gadwall/events';
import type { AccountChange, PolicyEvent, UserKind } from '@gadwall/rbac';
import { type Caller, Passwords, revokeSessions } from '../auth';
import { type Mutated, Mutations, SystemWideCommand, TenantCommand } from '../mutation';
import { storeEmail, storePassword } from './account';

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
    const hash = await hashOf(this.passwords, update);
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'update-user', userId, ...changeOf(update) },
      effects: (db, { events }) => store(db, events, hash, update.email),
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
    const hash = await hashOf(this.passwords, update);
    return this.mutations.inSystem(caller, {
      command: { type: 'update-superuser', userId, ...changeOf(update) },
      effects: (db, { events }) => store(db, events, hash, update.email),
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

/** Writes the side rows that the events refer to. A new password and a lock end the sessions that were opened before. */
export async function store(
  db: Queryable,
  events: readonly PolicyEvent[],
  hash: string | null,
  email: string | null | undefined,
): Promise<void> {
  for (const event of events) {
    if (event.type === 'user.credential-changed' && hash !== null) {
      await storePassword(db, event.data.userId, event.data.credentialVersion, hash);
      await revokeSessions(db, event.data.userId);
    }
    if (event.type === 'user.disabled') await revokeSessions(db, event.data.userId);
    if (event.type === 'user.profile-changed') {
      await storeEmail(db, event.data.userId, event.data.profileVersion, email ?? null);
    }
  }
}
