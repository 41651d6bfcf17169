import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PolicyEvent } from '@gadwall/rbac';
import { type ChangeStatement, commandsOf } from '@gadwall/sqladmin';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, Passwords } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';
import { keepBesideEvents, requirePassword, usernameOf } from '../user';
import { PolicyChecks } from '../policy-check';
import { loadDirectory } from './directory.query';

/** Does what a statement of the administration dialect says, whole or not at all; gives the events it made. */
export class ChangePolicy extends TenantCommand<readonly PolicyEvent[]> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly statement: ChangeStatement,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(ChangePolicy)
export class ChangePolicyHandler implements ICommandHandler<ChangePolicy> {
  constructor(
    private readonly mutations: Mutations,
    private readonly passwords: Passwords,
    private readonly checks: PolicyChecks,
  ) {}

  /** Names are looked up under the lock, so that they stand for what they stand for when the change is made. */
  async execute({ caller, tenant, statement }: ChangePolicy): Promise<Mutated<readonly PolicyEvent[]>> {
    const password = passwordIn(statement);
    // Before the lock: a hash takes far longer than everything under it.
    const passwordHash = password === null ? null : await this.passwords.hash(requirePassword(password));
    const username = statement.type === 'create-user' ? usernameOf(statement.name) : undefined;
    const checked = await this.checked(tenant, statement);
    let made: readonly PolicyEvent[] = [];
    return this.mutations.inTenant(caller, tenant, {
      command: async (db) => {
        const { directory } = await loadDirectory(db, tenant, statement);
        return {
          commands: commandsOf(statement, directory, uuidv7, checked?.canonical),
          users: directory.accounts.map(({ id }) => id),
        };
      },
      effects: async (db, { events }) => {
        made = events;
        checked?.requireFit();
        await keepBesideEvents(db, tenant, events, { username, passwordHash });
      },
      result: () => made,
    });
  }

  private checked(tenant: string, statement: ChangeStatement) {
    switch (statement.type) {
      case 'create-row-policy':
        return this.checks.rows(tenant, statement.on, statement.using);
      case 'create-column-policy': {
        const { on, column, mask } = statement;
        return this.checks.column(tenant, { ...on, column }, mask);
      }
      default:
        return null;
    }
  }
}

function passwordIn(statement: ChangeStatement): string | null {
  if (statement.type === 'create-user') return statement.password;
  return statement.type === 'alter-user' && 'password' in statement.change ? statement.change.password : null;
}
