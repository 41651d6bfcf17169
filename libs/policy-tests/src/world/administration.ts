import {
  type Actor,
  decide,
  DomainError,
  evolve,
  guardChange,
  madeSecureView,
  type PolicyEvent,
  profileOf,
  type SecureView,
  type SecureViewMaking,
  secureViewNamed,
  type SecureViewOutcome,
} from '@gadwall/rbac';
import {
  type Account,
  AdminSyntaxError,
  type AdminStatement,
  type ChangeStatement,
  commandsOf,
  expressionOf,
  type Directory,
  isShow,
  type Listing,
  parseAdministration,
  showRows,
  summaryOf,
} from '@gadwall/sqladmin';
import type { ExpressionParser } from '@gadwall/rewriters';
import { checkedExpression } from './checked-expression';
import { admit, type PolicyWorld } from './policy-world';

/** What a statement of the administration dialect leaves and answers. */
export interface Administered {
  world: PolicyWorld;
  listing: Listing;
}

/** What makes secure views in the catalog, and drops them there. */
export interface ViewMaker {
  makeSecureView(making: SecureViewMaking): Promise<SecureViewOutcome>;
  dropSecureView(view: SecureView): Promise<void>;
}

/** What statements need of engines. */
export interface AdministrationEngines {
  /** Reads the expressions of policies. */
  parser: ExpressionParser;
  views: ViewMaker;
}

/**
 * Carries out a statement of the SQL administration dialect (qod-api.md 1.8) as the SQL door does: by the commands and under
 * the guard of every door.
 *
 * @param username whose statement it is; null = a superuser's who is none of the principals
 * @throws DomainError with the reason of a refusal, of gate 1 too
 */
export async function administer(
  world: PolicyWorld,
  username: string | null,
  sql: string,
  { parser, views }: AdministrationEngines,
): Promise<Administered> {
  const actor = actorOf(world, username);
  const statement = parsed(sql);
  const directory = { state: world.tenant, accounts: accountsOf(world) };
  if (isShow(statement)) return { world, listing: showRows(statement, directory) };
  const canonical = await canonicalOf(statement, parser);
  const made = await madeView(world, statement, actor, views);
  const administered = await change(world, statement, directory, actor, canonical, made);
  const dropped = statement.type === 'drop-secure-view' ? secureViewNamed(world.tenant, statement.view) : undefined;
  if (dropped) await views.dropSecureView(dropped);
  return administered;
}

async function madeView(
  { tenant }: PolicyWorld,
  statement: ChangeStatement,
  { superuser }: Actor,
  views: ViewMaker,
): Promise<SecureView | null> {
  if (statement.type !== 'create-secure-view') return null;
  if (!superuser) throw new DomainError('superuser_required', { what: 'making secure views' });
  const { view, query, orReplace } = statement;
  const outcome = await views.makeSecureView({ view, query, orReplace, secureViews: tenant.secureViews });
  return madeSecureView(outcome, view);
}

async function canonicalOf(statement: ChangeStatement, parser: ExpressionParser): Promise<string | null> {
  const expression = expressionOf(statement);
  return expression && checkedExpression(expression.text, expression.policy, parser);
}

function actorOf(world: PolicyWorld, username: string | null): Actor {
  if (username === null) return { superuser: true, userId: null };
  const { userId, set } = admit(world, username);
  if (set.tenant === null) return { superuser: true, userId };
  const admin = world.tenant.users.some(({ id, kind }) => id === userId && kind === 'admin');
  if (!admin) throw new DomainError('admin_required');
  return { superuser: false, userId };
}

/** The error names the place alone: the text may hold a password. */
function parsed(sql: string): AdminStatement {
  try {
    return parseAdministration(sql);
  } catch (error) {
    if (error instanceof AdminSyntaxError) throw new DomainError('sql_error', { detail: error.message });
    throw error;
  }
}

function accountsOf({ tenant, users }: PolicyWorld): Account[] {
  return [...users].flatMap(([username, id]) => {
    const user = tenant.users.find((candidate) => candidate.id === id);
    return user ? [{ id, username, kind: user.kind, enabled: user.enabled, email: null }] : [];
  });
}

async function change(
  world: PolicyWorld,
  statement: ChangeStatement,
  directory: Directory,
  actor: Actor,
  canonical: string | null,
  view: SecureView | null,
): Promise<Administered> {
  let made = 0;
  const commands = commandsOf(statement, directory, () => `made:${world.changes}:${made++}`, canonical, view);
  const events: PolicyEvent[] = [];
  let after = world.tenant;
  for (const command of commands) {
    const next = decide(command, after, actor);
    events.push(...next);
    after = next.reduce(evolve, after);
  }
  if (!actor.superuser && actor.userId !== null) {
    const profiles = world.tenant.users.map(({ id }) => profileOf(world.tenant, id));
    const judged = { before: world.tenant, after, events, actorId: actor.userId };
    await guardChange(judged, () => Promise.resolve(profiles));
  }
  const columns = ['status', 'detail'].map((name) => ({ name, type: 'VARCHAR' as const }));
  const listing = { columns, rows: [['ok', summaryOf(statement, events)]] };
  return {
    world: { ...world, tenant: after, users: usersAfter(world, events, statement), changes: world.changes + 1 },
    listing,
  };
}

function usersAfter(
  { users }: PolicyWorld,
  events: readonly PolicyEvent[],
  statement: ChangeStatement,
): PolicyWorld['users'] {
  const created = events.find((event) => event.type === 'user.created');
  if (!created || statement.type !== 'create-user') return users;
  return new Map([...users, [statement.name, created.data.userId]]);
}
