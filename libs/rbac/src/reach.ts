import { foldName } from './fold';
import type { AccessClass, TablePermission, Verb } from './model';

/**
 * What a principal reaches: table permissions and pools. The question of invariant 10 is whether one reach lies within
 * another, or within the union of two.
 */
export interface Reach {
  permissions: readonly TablePermission[];
  /** `*` = every pool of the tenant. */
  pools: '*' | readonly string[];
}

/** Nothing at all: where a new account starts. */
export const NO_REACH: Reach = { permissions: [], pools: [] };

/** The tenant's own catalogs, folded: all that a `*` in the catalog's place of an allow reaches (seed 000, "Wildcards"). */
export type OwnCatalogs = ReadonlySet<string>;

const CLASSES_OF: Readonly<Record<Verb, readonly AccessClass[]>> = {
  RO: ['Read'],
  RW: ['Read', 'Write'],
  DDL: ['Ddl'],
  ALL: ['Read', 'Write', 'Ddl'],
};

/** One access class on a triple of names, each of which may be `*`. */
interface Region {
  access: AccessClass;
  catalog: string;
  schema: string;
  table: string;
}

const nameCovers = (pattern: string, name: string): boolean =>
  pattern === '*' || (name !== '*' && foldName(pattern) === foldName(name));

const namesMeet = (a: string, b: string): boolean => a === '*' || b === '*' || foldName(a) === foldName(b);

const grants = (permission: TablePermission, access: AccessClass): boolean =>
  CLASSES_OF[permission.verb].includes(access);

/** A wildcard catalog covers only the tenant's own ones, never a federated or a foreign catalog named literally. */
function covers(permission: TablePermission, region: Region, own: OwnCatalogs): boolean {
  const catalog =
    permission.catalog === '*' && region.catalog !== '*'
      ? own.has(foldName(region.catalog))
      : nameCovers(permission.catalog, region.catalog);
  return (
    catalog &&
    grants(permission, region.access) &&
    nameCovers(permission.schema, region.schema) &&
    nameCovers(permission.table, region.table)
  );
}

/** The part of a region that a permission touches; null when they do not meet. A wildcard counts as everything here. */
function meeting(permission: TablePermission, region: Region): Region | null {
  const touches =
    grants(permission, region.access) &&
    namesMeet(permission.catalog, region.catalog) &&
    namesMeet(permission.schema, region.schema) &&
    namesMeet(permission.table, region.table);
  if (!touches) return null;
  const narrower = (a: string, b: string): string => (a === '*' ? b : a);
  return {
    access: region.access,
    catalog: narrower(permission.catalog, region.catalog),
    schema: narrower(permission.schema, region.schema),
    table: narrower(permission.table, region.table),
  };
}

const allowing = (reach: Reach): TablePermission[] => reach.permissions.filter((row) => row.effect === 'allow');
const denying = (reach: Reach): TablePermission[] => reach.permissions.filter((row) => row.effect === 'deny');

function regionsOf(permission: TablePermission): Region[] {
  const { catalog, schema, table } = permission;
  return CLASSES_OF[permission.verb].map((access) => ({ access, catalog, schema, table }));
}

/**
 * True when every access in `region`, but for what `denies` take away, is reached by one of `holders`. Sound, not
 * complete: one allow must cover the region as a whole, which loses nothing as names are without bound.
 */
function reached(
  region: Region,
  denies: readonly TablePermission[],
  holders: readonly Reach[],
  own: OwnCatalogs,
): boolean {
  if (denies.some((deny) => covers(deny, region, own))) return true;
  return holders.some((holder) => {
    if (!allowing(holder).some((allow) => covers(allow, region, own))) return false;
    const others = holders.filter((other) => other !== holder);
    return denying(holder).every((deny) => {
      const hidden = meeting(deny, region);
      return hidden === null || reached(hidden, denies, others, own);
    });
  });
}

/** An access in words, for the refusal's message. */
const inWords = (region: Region): string => `${region.catalog}.${region.schema}.${region.table}:${region.access}`;

function poolsBeyond(reach: Reach, holders: readonly Reach[]): string | null {
  if (holders.some((holder) => holder.pools === '*')) return null;
  if (reach.pools === '*') return 'every pool';
  const missing = reach.pools.find((pool) => !holders.some((holder) => holder.pools.includes(pool)));
  return missing === undefined ? null : `pool ${missing}`;
}

/**
 * The first access in `reach` that none of `holders` reaches, in words; null when `reach` lies within their union. A
 * wildcard deny of a holder hides everything it could mean, a wildcard deny of `reach` only the tenant's own catalogs:
 * in doubt there is an access beyond.
 */
export function beyond(reach: Reach, holders: readonly Reach[], own: OwnCatalogs): string | null {
  const denies = denying(reach);
  for (const allow of allowing(reach)) {
    const region = regionsOf(allow).find((candidate) => !reached(candidate, denies, holders, own));
    if (region !== undefined) return inWords(region);
  }
  return poolsBeyond(reach, holders);
}
