import {
  decide,
  DomainError,
  evolve,
  guardChange,
  type PolicyCommand,
  profileOf,
  type TenantState,
  type User,
} from '@gadwall/rbac';

/** A user of a tenant's state. */
export const user = (id: string, more: Partial<User> = {}): User => ({
  id,
  kind: 'user',
  enabled: true,
  mustChangePassword: false,
  profileVersion: 1,
  credentialVersion: 1,
  ...more,
});

interface Outcome {
  refused: string | null;
  after: TenantState;
}

/** What the administrator `boss` gets for a command: the events applied, or the code of the refusal. */
export async function attempt(before: TenantState, asked: PolicyCommand): Promise<Outcome> {
  try {
    const events = decide(asked, before, { superuser: false, userId: 'boss' });
    const after = events.reduce(evolve, before);
    // As in production: of the users, only those named and the actor are loaded; the others come as profiles.
    const named = 'userId' in asked && asked.userId !== null ? [asked.userId, 'boss'] : ['boss'];
    const slice = (state: TenantState): TenantState => ({
      ...state,
      users: state.users.filter(({ id }) => named.includes(id)),
      userRoles: state.userRoles.filter(({ userId }) => named.includes(userId)),
      userGroups: state.userGroups.filter(({ userId }) => named.includes(userId)),
      poolPermissions: state.poolPermissions.filter(({ userId }) => userId === null || named.includes(userId)),
    });
    const profiles = before.users.map(({ id }) => profileOf(before, id));
    await guardChange({ before: slice(before), after: slice(after), events, actorId: 'boss' }, () =>
      Promise.resolve(profiles),
    );
    return { refused: null, after };
  } catch (error) {
    if (error instanceof DomainError) return { refused: error.code, after: before };
    throw error;
  }
}
