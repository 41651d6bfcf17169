import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, type PolicyEvent, type SecureView, secureViewNamed } from '@gadwall/rbac';
import { type ChangeStatement, commandsOf } from '@gadwall/sqladmin';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, Passwords } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';
import { keepBesideEvents, requirePassword, usernameOf } from '../user';
import { PolicyChecks } from '../policy-check';
import { SecureViews } from '../secure-view';
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
    private readonly views: SecureViews,
  ) {}

  /** Names are looked up under the lock, so that they stand for what they stand for when the change is made. */
  async execute({ caller, tenant, statement }: ChangePolicy): Promise<Mutated<readonly PolicyEvent[]>> {
    const password = passwordIn(statement);
    // Before the lock: a hash takes far longer than everything under it.
    const passwordHash = password === null ? null : await this.passwords.hash(requirePassword(password));
    const username = statement.type === 'create-user' ? usernameOf(statement.name) : undefined;
    const checked = await this.checked(tenant, statement);
    const view = await this.madeView(caller, tenant, statement);
    let made: readonly PolicyEvent[] = [];
    let dropped: SecureView | undefined;
    const mutated = await this.mutations.inTenant(caller, tenant, {
      command: async (db) => {
        const { directory } = await loadDirectory(db, tenant, statement);
        if (statement.type === 'drop-secure-view') dropped = secureViewNamed(directory.state, statement.view);
        return {
          commands: commandsOf(statement, directory, uuidv7, checked?.canonical, view),
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
    // It is no secure view any more: whoever reads it now does so with rights of their own.
    if (dropped) await this.views.drop(tenant, dropped);
    return mutated;
  }

  /** A node makes it before the lock, and for superusers alone. */
  private async madeView(
    { principal }: Caller,
    tenant: string,
    statement: ChangeStatement,
  ): Promise<SecureView | null> {
    if (statement.type !== 'create-secure-view') return null;
    if (!principal.superuser) throw new DomainError('superuser_required', { what: 'making secure views' });
    const { view, query, orReplace } = statement;
    return this.views.make(tenant, { view, query, orReplace });
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
