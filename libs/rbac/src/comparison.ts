import { heldPolicies, poolsOf, type Profile, roleIdsOf } from './effective-set';
import { type HeldPolicy, restrictedFor } from './held-policy';
import { beyond, type Holder, type OwnCatalogs, rememberedRegions, RoleAllows } from './reach';
import type { RolePermission, TenantState } from './state';

const NOBODY: Profile = { roles: [], groups: [], pools: [] };

function byRole(permissions: readonly RolePermission[]): ReadonlyMap<string, RolePermission[]> {
  const rows = new Map<string, RolePermission[]>();
  for (const row of permissions) {
    const ofRole = rows.get(row.roleId);
    if (ofRole === undefined) rows.set(row.roleId, [row]);
    else ofRole.push(row);
  }
  return rows;
}

const rolesThatCarry = ({ permissions, columnPolicies, rowPolicies }: TenantState): string[] =>
  [...permissions, ...columnPolicies, ...rowPolicies].map(({ roleId }) => roleId);

/** The policies of roles, one list for all sets of roles that carry the same ones. */
function rememberedPolicies(state: TenantState): (roles: ReadonlySet<string>) => readonly HeldPolicy[] {
  const carrying = new Set([...state.columnPolicies, ...state.rowPolicies].map(({ roleId }) => roleId));
  const known = new Map<string, HeldPolicy[]>();
  return (roles) => {
    const carriers = [...roles].filter((role) => carrying.has(role)).sort();
    const key = carriers.join();
    const found = known.get(key) ?? heldPolicies(state, new Set(carriers));
    known.set(key, found);
    return found;
  };
}

/**
 * Compares what holders reach before and after a change. What the two states share is prepared once, so that a holder
 * costs as much as the change concerns them: rows that the change leaves alone are the same objects in both states, and
 * give nothing new to one who had them, unless a deny went or policies differ.
 *
 * @param actor whoever makes the change: what they hold may be gained
 * @returns a function that gives, in words, the first access that is new to a holder and beyond the actor; null if none
 */
export function comparison(
  before: TenantState,
  after: TenantState,
  actor: Holder,
  own: OwnCatalogs,
): (had: Profile | null, has: Profile) => string | null {
  const allows = new RoleAllows(before.permissions);
  const rowsBefore = byRole(before.permissions);
  const rowsAfter = byRole(after.permissions);
  const carrying = new Set([before, after].flatMap(rolesThatCarry));
  const old = new Set(before.permissions);
  const kept = new Set(after.permissions);

  const carriesAny = (role: string): boolean => carrying.has(role);
  const policiesIn = rememberedPolicies(before);
  const policiesAfter = rememberedPolicies(after);
  const regionsOf = rememberedRegions(own);
  const of = (roles: ReadonlySet<string>, rows: ReadonlyMap<string, RolePermission[]>): RolePermission[] =>
    [...roles].flatMap((role) => rows.get(role) ?? []);

  const tables = (rolesBefore: ReadonlySet<string>, rolesAfter: ReadonlySet<string>): string | null => {
    const deniedBefore = of(rolesBefore, rowsBefore).filter((row) => row.effect === 'deny');
    const denyWent = deniedBefore.some((row) => !kept.has(row) || !rolesAfter.has(row.roleId));
    const [policiesBefore, policies] = [policiesIn(rolesBefore), policiesAfter(rolesAfter)];
    const all = denyWent || restrictedFor(policies, policiesBefore).length > 0;
    const isNew = (row: RolePermission): boolean => all || !old.has(row) || !rolesBefore.has(row.roleId);
    const permissions = of(rolesAfter, rowsAfter).filter((row) => row.effect === 'deny' || isNew(row));
    const holder = allows.holder(rolesBefore, { denies: deniedBefore, pools: [], policies: policiesBefore });
    return beyond({ permissions, pools: [], policies }, [holder, actor], own, regionsOf);
  };
  const compared = new Map<string, string | null>();
  // Roles that carry nothing make no difference.
  const key = (roles: ReadonlySet<string>): string => [...roles].filter(carriesAny).sort().join();

  return (had, has) => {
    const [rolesBefore, rolesAfter] = [roleIdsOf(before, had ?? NOBODY), roleIdsOf(after, has)];
    const asked = `${key(rolesBefore)} ${key(rolesAfter)}`;
    const known = compared.get(asked);
    const access = known === undefined ? tables(rolesBefore, rolesAfter) : known;
    compared.set(asked, access);
    if (access !== null) return access;
    const holder = allows.holder(rolesBefore, { denies: [], pools: poolsOf(before, had ?? NOBODY), policies: [] });
    return beyond({ permissions: [], pools: poolsOf(after, has), policies: [] }, [holder, actor], own);
  };
}
