import { comparison } from './comparison';
import { ownCatalogs, type Profile, profileOf, reachOf } from './effective-set';
import { DomainError } from './errors';
import type { PolicyEvent } from './events';
import { foldName } from './fold';
import type { TablePermission, TableTuple } from './model';
import { beyond, type Holder, holderOf, NO_REACH, type OwnCatalogs, type Reach } from './reach';
import type { TenantState } from './state';
import { classesOfVerb } from './verb-classes';

/** The most distinct profiles that one change of a tenant admin is compared for. */
export const PROFILE_LIMIT = 1000;

/**
 * What opens when a deny goes, as allows. A wildcard deny reaches foreign catalogs too, which an allow reaches by their own
 * names only; a deny of DDL on one table keeps from its schema as a whole.
 */
function openedBy(deny: TablePermission, { permissions }: TenantState): TablePermission[] {
  const catalogs = deny.catalog === '*' ? new Set(['*', ...permissions.map(({ catalog }) => catalog)]) : [deny.catalog];
  return [...catalogs].flatMap((catalog) => {
    const named: TablePermission = { ...deny, effect: 'allow', catalog };
    const wide: TablePermission = { ...named, table: '*', verb: 'DDL' };
    return classesOfVerb(deny.verb).includes('Ddl') && deny.table !== '*' ? [named, wide] : [named];
  });
}

/**
 * What the events of one change could give at most, whoever the holders are: allows that come, denies that go, pools, and
 * all of the tables whose policies come, go or change, for one more predicate shows more rows.
 */
function possibleGain(before: TenantState, events: readonly PolicyEvent[]): Reach {
  const permissions: TablePermission[] = [];
  const pools: (string | null)[] = [];
  const ofRole = (roleId: string): TablePermission[] => before.permissions.filter((row) => row.roleId === roleId);
  const come = (rows: readonly TablePermission[]): unknown =>
    permissions.push(...rows.filter((row) => row.effect === 'allow'));
  const go = (rows: readonly TablePermission[]): unknown =>
    permissions.push(...rows.filter((row) => row.effect === 'deny').flatMap((row) => openedBy(row, before)));
  const rolesOf = (groupId: string): string[] =>
    before.groupRoles.filter((row) => row.groupId === groupId).map(({ roleId }) => roleId);
  const ofGroup = (groupId: string): TablePermission[] => rolesOf(groupId).flatMap(ofRole);
  for (const tuple of policyTuples(before, events, rolesOf))
    permissions.push({ effect: 'allow', ...tuple, verb: 'RW' });

  for (const event of events) {
    switch (event.type) {
      case 'permission.granted':
        come([event.data]);
        break;
      case 'permission.revoked':
        go(before.permissions.filter((row) => row.id === event.data.permissionId));
        break;
      case 'role.deleted':
      case 'user-role.removed':
      case 'group-role.removed':
        go(ofRole(event.data.roleId));
        break;
      case 'user-role.added':
      case 'group-role.added':
        come(ofRole(event.data.roleId));
        break;
      case 'user-group.added':
        come(ofGroup(event.data.groupId));
        pools.push(
          ...before.poolPermissions.filter((row) => row.groupId === event.data.groupId).map((row) => row.poolId),
        );
        break;
      case 'user-group.removed':
      case 'group.deleted':
        go(ofGroup(event.data.groupId));
        break;
      case 'pool-permission.granted':
        pools.push(event.data.poolId);
        break;
      default:
        break;
    }
  }
  return { permissions, pools: poolsOfGrants(pools), policies: [] };
}

/** The tuples of all policies that somebody could gain or lose by the events. */
function policyTuples(
  before: TenantState,
  events: readonly PolicyEvent[],
  rolesOf: (groupId: string) => string[],
): TableTuple[] {
  const roles = new Set(events.flatMap((event) => rolesMoved(event, rolesOf)));
  const rows = [...before.columnPolicies, ...before.rowPolicies].filter((row) => roles.has(row.roleId));
  return [...rows, ...events.flatMap((event) => changedTuple(before, event))].map(({ catalog, schema, table }) => ({
    catalog,
    schema,
    table,
  }));
}

/** The roles that come to somebody or go by an event, with all that they carry. */
function rolesMoved(event: PolicyEvent, rolesOf: (groupId: string) => string[]): string[] {
  switch (event.type) {
    case 'role.deleted':
    case 'user-role.added':
    case 'user-role.removed':
    case 'group-role.added':
    case 'group-role.removed':
      return [event.data.roleId];
    case 'user-group.added':
    case 'user-group.removed':
    case 'group.deleted':
      return rolesOf(event.data.groupId);
    default:
      return [];
  }
}

/** The tuple of the policy that an event makes, changes or takes away. */
function changedTuple(before: TenantState, event: PolicyEvent): TableTuple[] {
  switch (event.type) {
    case 'column-policy.created':
    case 'row-policy.created':
      return [event.data];
    case 'column-policy.changed':
    case 'column-policy.deleted':
      return before.columnPolicies.filter((row) => row.id === event.data.policyId);
    case 'row-policy.changed':
    case 'row-policy.deleted':
      return before.rowPolicies.filter((row) => row.id === event.data.policyId);
    default:
      return [];
  }
}

/** True for an event that changes what holders of a role or a group reach, beyond the users it names. */
function touchesHolders(event: PolicyEvent): boolean {
  switch (event.type) {
    case 'permission.granted':
    case 'permission.revoked':
    case 'role.deleted':
    case 'group.deleted':
    case 'group-role.added':
    case 'group-role.removed':
    case 'column-policy.created':
    case 'column-policy.changed':
    case 'column-policy.deleted':
    case 'row-policy.created':
    case 'row-policy.changed':
    case 'row-policy.deleted':
      return true;
    case 'pool-permission.granted':
    case 'pool-permission.revoked':
      return true;
    default:
      return false;
  }
}

/**
 * What a change grants by name: its maker must hold it, even where nobody gains it now (seed 000, "Privilege-escalation
 * guards"). The tables of a policy that is made, changed or deleted have to be read without any restriction (DESIGN section
 * 3, point 10). A catalog under a new name gives its data to whoever holds grants on that name, so it counts as a whole; a pool
 * that is switched on is given back to whoever it is granted to.
 */
function granted(before: TenantState, events: readonly PolicyEvent[]): Reach {
  const permissions: TablePermission[] = [];
  const pools: (string | null)[] = [];
  for (const event of events) {
    if (event.type === 'permission.granted' && event.data.effect === 'allow') permissions.push(event.data);
    for (const { catalog, schema, table } of changedTuple(before, event)) {
      permissions.push({ effect: 'allow', catalog, schema, table, verb: 'RO' });
    }
    if (event.type === 'pool-permission.granted' || event.type === 'pool.enabled') pools.push(event.data.poolId);
    if (event.type === 'database.updated') {
      const { databaseId, defaultDatabase } = event.data;
      const old = before.databases.find((database) => database.id === databaseId)?.defaultDatabase;
      if (old === undefined || foldName(old) === foldName(defaultDatabase)) continue;
      permissions.push({ effect: 'allow', catalog: old, schema: '*', table: '*', verb: 'ALL' });
    }
  }
  return { permissions, pools: poolsOfGrants(pools), policies: [] };
}

function poolsOfGrants(pools: readonly (string | null)[]): Reach['pools'] {
  const named = pools.filter((pool) => pool !== null);
  return named.length < pools.length ? '*' : named;
}

/** The accounts that a change opens to whoever made it: their whole set must lie within the actor's. */
function openedAccounts(events: readonly PolicyEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'user.credential-changed':
      case 'user.profile-changed':
      case 'user.kind-changed':
      case 'user.enabled':
        return [event.data.userId];
      default:
        return [];
    }
  });
}

/** One change of a tenant admin, to be judged. */
export interface Change {
  before: TenantState;
  after: TenantState;
  events: readonly PolicyEvent[];
  /** The acting user; their edges are in `before`. */
  actorId: string;
}

/** The profile of a loaded user; null when there is no such user in the state. */
const profileIn = (state: TenantState, userId: string): Profile | null =>
  state.users.some((user) => user.id === userId) ? profileOf(state, userId) : null;

const reachOfUser = (state: TenantState, userId: string): Reach => {
  const profile = profileIn(state, userId);
  return profile === null ? NO_REACH : reachOf(state, profile);
};

function refuseTakeover({ before, after, events, actorId }: Change, actor: Holder, own: OwnCatalogs): void {
  for (const userId of openedAccounts(events)) {
    if (userId === actorId) continue;
    // The set before counts too: what the change itself takes away could be given back.
    for (const state of [before, after]) {
      const access = beyond(reachOfUser(state, userId), [actor], own);
      if (access !== null) throw new DomainError('account_not_within', { access });
    }
  }
}

/**
 * Refuses a change that would leave anyone with an access that neither they had before nor the actor holds; superusers
 * skip it. A change whose possible gain lies within the actor's set passes without a look at users; otherwise every
 * distinct profile is compared before and after, and `profiles` is asked for them only if holders of a role or a group
 * are touched. Source: DESIGN section 3, point 10; seed 000, "Privilege-escalation guards".
 *
 * @param profiles gives the tenant's distinct profiles, or null when there are more than {@link PROFILE_LIMIT}
 * @throws DomainError `grant_not_held`, `change_too_broad`
 */
export async function guardChange(change: Change, profiles: () => Promise<readonly Profile[] | null>): Promise<void> {
  const { before, after, events, actorId } = change;
  const own = ownCatalogs(before);
  const actor = holderOf(reachOfUser(before, actorId));
  refuseTakeover(change, actor, own);
  const notHeld = beyond(granted(before, events), [actor], own);
  if (notHeld !== null) throw new DomainError('grant_not_held', { access: notHeld });
  if (beyond(possibleGain(before, events), [actor], own) === null) return;

  const gain = comparison(before, after, actor, own);
  const refuseGain = (had: Profile | null, has: Profile): void => {
    const access = gain(had, has);
    if (access !== null) throw new DomainError('grant_not_held', { access });
  };
  for (const { id } of after.users) refuseGain(profileIn(before, id), profileOf(after, id));
  if (!events.some(touchesHolders)) return;

  const all = await profiles();
  if (all === null) throw new DomainError('change_too_broad', { limit: String(PROFILE_LIMIT) });
  // A profile's own edges stay as they are; those of its roles and groups are what changed.
  for (const profile of all) refuseGain(profile, profile);
}
