import { DomainError } from '@gadwall/rbac';
import { type Account, AdminSyntaxError, commandsOf, isShow, parseAdministration } from '@gadwall/sqladmin';
import { changed, type PolicyWorld } from './policy-world';

/** The world after a statement of the administration dialect, or why it was refused. */
export type Administered = { world: PolicyWorld } | { refused: string };

/**
 * Carries out a superuser's statement of the SQL administration dialect (qod-api.md 1.8) by the commands that the doors
 * make of it.
 */
export function administered(world: PolicyWorld, sql: string): Administered {
  try {
    return { world: after(world, sql) };
  } catch (error) {
    if (error instanceof DomainError || error instanceof AdminSyntaxError) return { refused: error.message };
    throw error;
  }
}

function after(world: PolicyWorld, sql: string): PolicyWorld {
  const statement = parseAdministration(sql);
  if (isShow(statement)) return world;
  let made = 0;
  const newId = (): string => `made:${world.changes}:${made++}`;
  const commands = commandsOf(statement, { state: world.tenant, accounts: accountsOf(world) }, newId);
  const next = commands.reduce(changed, { ...world, changes: world.changes + 1 });
  const created = commands.find((command) => command.type === 'create-user');
  return created && statement.type === 'create-user'
    ? { ...next, users: new Map([...next.users, [statement.name, created.userId]]) }
    : next;
}

function accountsOf({ tenant, users }: PolicyWorld): Account[] {
  return [...users].flatMap(([username, id]) => {
    const user = tenant.users.find((candidate) => candidate.id === id);
    return user ? [{ id, username, kind: user.kind, enabled: user.enabled, email: null }] : [];
  });
}
