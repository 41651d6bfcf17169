import { foldName } from './fold';
import { type HeldPolicy, restrictedFor } from './held-policy';
import type { AccessClass, TablePermission } from './model';
import { classesOfVerb } from './verb-classes';

/**
 * What a principal reaches: table permissions, under policies, and pools. The question of invariant 10 is whether one reach lies within
 * another, or within the union of two.
 */
export interface Reach {
  permissions: readonly TablePermission[];
  /** `*` = every pool of the tenant. */
  pools: '*' | readonly string[];
  policies: readonly HeldPolicy[];
}

/** Nothing at all: where a new account starts. */
export const NO_REACH: Reach = { permissions: [], pools: [], policies: [] };

/** The tenant's own catalogs, folded: all that a `*` in the catalog's place of an allow reaches (seed 000, "Wildcards"). */
export type OwnCatalogs = ReadonlySet<string>;

/** One access class on a triple of names, each of which may be `*`. */
interface Region {
  access: AccessClass;
  catalog: string;
  schema: string;
  table: string;
  /** The access to the schema as a whole alone, without its tables: `table` is `*`. */
  wide?: true;
}

const nameCovers = (pattern: string, name: string): boolean =>
  pattern === '*' || (name !== '*' && foldName(pattern) === foldName(name));

const namesMeet = (a: string, b: string): boolean => a === '*' || b === '*' || foldName(a) === foldName(b);

const grants = (permission: TablePermission, access: AccessClass): boolean =>
  classesOfVerb(permission.verb).includes(access);

/**
 * Whether a deny takes a region away as a whole. A wildcard catalog counts for the tenant's own ones only; the access to a
 * schema as a whole is denied by every deny on a table in it.
 */
function covers(permission: TablePermission, region: Region, own: OwnCatalogs): boolean {
  const catalog =
    permission.catalog === '*' && region.catalog !== '*'
      ? own.has(foldName(region.catalog))
      : nameCovers(permission.catalog, region.catalog);
  return (
    catalog &&
    grants(permission, region.access) &&
    nameCovers(permission.schema, region.schema) &&
    (region.wide === true || nameCovers(permission.table, region.table))
  );
}

const patternKey = (access: AccessClass, catalog: string, schema: string, table: string): string =>
  [access, foldName(catalog), foldName(schema), foldName(table)].join('\0');

/** The keys of every allow that would cover a region as a whole: each part the same, or a wildcard. At most eight. */
function coveringKeys({ access, catalog, schema, table }: Region, own: OwnCatalogs): string[] {
  const orAny = (name: string): string[] => (name === '*' ? ['*'] : [name, '*']);
  const catalogs = catalog === '*' || own.has(foldName(catalog)) ? orAny(catalog) : [catalog];
  return catalogs.flatMap((c) => orAny(schema).flatMap((s) => orAny(table).map((t) => patternKey(access, c, s, t))));
}

/** The keys that an allow is found under, one an access class. */
const keysOf = ({ catalog, schema, table, verb }: TablePermission): string[] =>
  classesOfVerb(verb).map((access) => patternKey(access, catalog, schema, table));

/** Whoever has a reach, prepared for many questions. */
export interface Holder {
  /** True if there is an allow under one of the keys. */
  has(keys: readonly string[]): boolean;
  denies: readonly TablePermission[];
  pools: Reach['pools'];
  policies: readonly HeldPolicy[];
}

/** One reach as a holder. */
export function holderOf(reach: Reach): Holder {
  const allows = reach.permissions.filter((row) => row.effect === 'allow');
  const denies = reach.permissions.filter((row) => row.effect === 'deny');
  const keys = new Set(allows.flatMap(keysOf));
  return { has: (asked) => asked.some((key) => keys.has(key)), denies, pools: reach.pools, policies: reach.policies };
}

/** The allows of all roles of a tenant, for many holders over them: a holder then costs nothing to make. */
export class RoleAllows {
  private readonly rolesOf = new Map<string, Set<string>>();

  constructor(permissions: readonly (TablePermission & { roleId: string })[]) {
    for (const row of permissions) {
      if (row.effect !== 'allow') continue;
      for (const key of keysOf(row)) {
        const roles = this.rolesOf.get(key);
        if (roles === undefined) this.rolesOf.set(key, new Set([row.roleId]));
        else roles.add(row.roleId);
      }
    }
  }

  /** The holder of these roles. */
  holder(roles: ReadonlySet<string>, rest: Omit<Holder, 'has'>): Holder {
    const granted = (key: string): boolean => {
      const under = this.rolesOf.get(key);
      return under !== undefined && [...roles].some((role) => under.has(role));
    };
    return { has: (keys) => keys.some(granted), ...rest };
  }
}

/**
 * The parts of a region that a deny takes away; none when they do not meet. A wildcard counts as everything here. A deny of
 * DDL on one table takes the access to its schema as a whole too.
 */
function hiddenBy(deny: TablePermission, region: Region): Region[] {
  const touches =
    grants(deny, region.access) &&
    namesMeet(deny.catalog, region.catalog) &&
    namesMeet(deny.schema, region.schema) &&
    (region.wide === true || namesMeet(deny.table, region.table));
  if (!touches) return [];
  const narrower = (a: string, b: string): string => (a === '*' ? b : a);
  const place = {
    access: region.access,
    catalog: narrower(deny.catalog, region.catalog),
    schema: narrower(deny.schema, region.schema),
  };
  const schema: Region = { ...place, table: '*', wide: true };
  if (region.wide === true) return [schema];
  const named: Region = { ...place, table: narrower(deny.table, region.table) };
  return region.access === 'Ddl' && region.table === '*' && deny.table !== '*' ? [named, schema] : [named];
}

/** A region with the keys that cover it. */
interface Keyed {
  region: Region;
  keys: readonly string[];
}

/** What an allow must be covered by, one an access class. */
function keyedRegions({ catalog, schema, table, verb }: TablePermission, own: OwnCatalogs): Keyed[] {
  return classesOfVerb(verb).map((access) => {
    const region = { access, catalog, schema, table };
    return { region, keys: coveringKeys(region, own) };
  });
}

/** Remembers the regions of permissions: the same rows are asked about for holder after holder. */
export function rememberedRegions(own: OwnCatalogs): (permission: TablePermission) => readonly Keyed[] {
  const known = new Map<TablePermission, Keyed[]>();
  return (permission) => {
    const found = known.get(permission) ?? keyedRegions(permission, own);
    known.set(permission, found);
    return found;
  };
}

/**
 * True when every access in `region`, but for what `denies` take away, is reached by one of `holders`. Sound, not
 * complete: one allow must cover the region as a whole, which loses nothing as names are without bound.
 */
function reached(
  { region, keys }: Keyed,
  denies: readonly TablePermission[],
  holders: readonly Holder[],
  own: OwnCatalogs,
): boolean {
  if (denies.some((deny) => covers(deny, region, own))) return true;
  return holders.some((holder) => {
    if (!holder.has(keys)) return false;
    const others = holders.filter((other) => other !== holder);
    return holder.denies
      .flatMap((deny) => hiddenBy(deny, region))
      .every((hidden) => reached({ region: hidden, keys: coveringKeys(hidden, own) }, denies, others, own));
  });
}

/** An access in words, for the refusal's message. */
const inWords = (region: Region): string => `${region.catalog}.${region.schema}.${region.table}:${region.access}`;

function poolsBeyond(pools: Reach['pools'], holders: readonly Holder[]): string | null {
  if (holders.some((holder) => holder.pools === '*')) return null;
  if (pools === '*') return 'every pool';
  const missing = pools.find((pool) => !holders.some((holder) => holder.pools.includes(pool)));
  return missing === undefined ? null : `pool ${missing}`;
}

/** What a holder sees restricted, and the reach perhaps less so, counts as denied to the holder. */
function withRestrictions(holder: Holder, { policies }: Reach): Holder {
  const restricted = restrictedFor(policies, holder.policies);
  return restricted.length === 0 ? holder : { ...holder, denies: [...holder.denies, ...restricted] };
}

/**
 * The first access in `reach` that none of `holders` reaches, in words; null when `reach` lies within their union. A
 * wildcard deny of a holder hides everything it could mean, a wildcard deny of `reach` only the tenant's own catalogs:
 * in doubt there is an access beyond.
 */
export function beyond(
  reach: Reach,
  holders: readonly Holder[],
  own: OwnCatalogs,
  regionsOf: (permission: TablePermission) => readonly Keyed[] = (permission) => keyedRegions(permission, own),
): string | null {
  const denies = reach.permissions.filter((row) => row.effect === 'deny');
  const under = holders.map((holder) => withRestrictions(holder, reach));
  for (const allow of reach.permissions) {
    if (allow.effect === 'deny') continue;
    const open = regionsOf(allow).find((candidate) => !reached(candidate, denies, under, own));
    if (open !== undefined) return inWords(open.region);
  }
  return poolsBeyond(reach.pools, holders);
}
