import type { Access, Description, ObjectAccess, RefusalRule } from '@gadwall/rewriters';
import { foldName } from './fold';
import type { AccessClass, EffectiveSet, TablePermission, Verb } from './model';
import { classesOfVerb, classOfAccess } from './verb-classes';

/** An object of a refusal as the doors show it: `{catalog, schema, name, kind, access}` (reference/api.md, "Errors"). */
export interface RefusedObject {
  catalog: string;
  schema: string;
  name: string;
  kind: string;
  access: Access;
}

export interface Refusal {
  allow: false;
  rule: RefusalRule;
  message: string;
  objects: RefusedObject[];
  /** The smallest grant that would let the statement pass; null where none would. */
  hint: string | null;
}

export type Verdict = { allow: true } | Refusal;

/**
 * Gate 2: whether the principal of `set` may run what `description` says. Pure; equal digests give equal verdicts.
 * Grants are judged before what is always refused, so that an ungranted object is named as one. Deny wins.
 */
export function verdict(set: EffectiveSet, description: Description): Verdict {
  if (set.tenant === null) return mechanism(description);
  return (
    refusedByDeny(set, description) ??
    refusedByGrants(set, description) ??
    refusedByFinding(description) ??
    refusedByPolicy(set, description) ?? { allow: true }
  );
}

/** What binds superusers too (seed 000, "Superusers"). */
function mechanism({ findings }: Description): Verdict {
  const found = findings.find((finding) => finding.bindsSuperusers);
  return found ? { allow: false, rule: found.rule, message: found.message, objects: [], hint: null } : { allow: true };
}

function refusedByFinding({ findings }: Description): Refusal | null {
  const [found] = findings;
  return found ? { allow: false, rule: found.rule, message: found.message, objects: [], hint: null } : null;
}

function refusedByDeny(set: EffectiveSet, { objects }: Description): Refusal | null {
  const denied = objects.filter((object) => !object.temporary && matches(set, object, 'deny'));
  return denied.length > 0
    ? refusal(
        set,
        denied.map((object) => shown(set, object)),
        'deny',
      )
    : null;
}

function refusedByGrants(set: EffectiveSet, { objects }: Description): Refusal | null {
  const lacking = objects.filter((object) => !object.temporary && !matches(set, object, 'allow'));
  return lacking.length > 0
    ? refusal(
        set,
        lacking.map((object) => shown(set, object)),
        'grant',
      )
    : null;
}

function matches(
  set: EffectiveSet,
  object: Pick<ObjectAccess, 'catalog' | 'schema' | 'name' | 'access'>,
  effect: TablePermission['effect'],
): boolean {
  return set.permissions.some((permission) => permission.effect === effect && covers(set, permission, object));
}

/** Source: seed 000, "How a grant covers a table access" and "Wildcards". */
function covers(
  set: EffectiveSet,
  permission: TablePermission,
  object: Pick<ObjectAccess, 'catalog' | 'schema' | 'name' | 'access'>,
): boolean {
  return (
    classesOfVerb(permission.verb).includes(classOfAccess(object.access)) &&
    coversCatalog(set, permission, object.catalog) &&
    part(permission.schema, object.schema) &&
    (part(permission.table, object.name) || (permission.effect === 'deny' && object.name === '*'))
  );
}

/** A wildcard reaches the tenant's own catalogs; one that denies reaches every catalog there is. */
function coversCatalog(set: EffectiveSet, permission: TablePermission, catalog: string): boolean {
  if (permission.catalog !== '*') return foldName(permission.catalog) === foldName(catalog);
  return permission.effect === 'deny' || set.catalogs.includes(foldName(catalog));
}

/**
 * A schema-wide access has the name `*`: only a grant whose table part is `*` covers it, while every deny on a table of
 * the schema reaches it, for `DROP SCHEMA … CASCADE` takes that table along.
 */
function part(pattern: string, name: string): boolean {
  return pattern === '*' || (name !== '*' && foldName(pattern) === foldName(name));
}

/**
 * What a refusal may name (DESIGN invariant 15): a base table only to one who wrote its name or is granted a view over
 * it; otherwise the view as it was written.
 */
function shown(set: EffectiveSet, object: ObjectAccess): RefusedObject {
  const [view] = object.via;
  const { catalog, schema, name, kind, access } = object;
  if (!view || object.via.some((over) => matches(set, { ...over, access: 'read' }, 'allow'))) {
    return { catalog, schema, name, kind, access };
  }
  return { ...view, kind: 'view', access: 'read' };
}

function refusal(set: EffectiveSet, objects: RefusedObject[], rule: 'grant' | 'deny'): Refusal {
  // In an order of their own: what is hidden is not told from what is missing by its place.
  const byName = new Map(objects.map((object) => [inWords(object), object]));
  const distinct = [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  const list = distinct.map(inWords).join(', ');
  const message =
    rule === 'grant' ? `user:${set.username} lacks grants on ${list}` : `user:${set.username} is denied ${list}`;
  return { allow: false, rule, message, objects: distinct, hint: rule === 'grant' ? hintOf(distinct) : null };
}

function inWords({ catalog, schema, name, access }: RefusedObject): string {
  return `${catalog}.${schema}.${name}:${access}`;
}

const SMALLEST: Readonly<Record<AccessClass, Verb>> = { Read: 'RO', Write: 'RW', Ddl: 'DDL' };

/** The grants that an administrator would have to make, in the notation of seed 000. */
function hintOf(objects: RefusedObject[]): string {
  const grants = objects.map(({ catalog, schema, name, access }) => {
    return `${SMALLEST[classOfAccess(access)]} on ${catalog}.${schema}.${name}`;
  });
  return `an administrator can grant ${[...new Set(grants)].join(' and ')} to a role of yours`;
}

/** Until governed rewriting is in force an object under a policy is refused, never served raw. */
function refusedByPolicy(set: EffectiveSet, { objects }: Description): Refusal | null {
  for (const object of objects) {
    const under = (policy: { catalog: string; schema: string; table: string }) =>
      coversCatalog(set, { ...policy, effect: 'allow', verb: 'ALL' }, object.catalog) &&
      part(policy.schema, object.schema) &&
      part(policy.table, object.name);
    const column = set.columnPolicies.some(under);
    if (object.temporary || (!column && !set.rowPolicies.some(under))) continue;
    const rule = column ? 'column-policy' : 'row-policy';
    const target = shown(set, object);
    return { allow: false, rule, message: `${inWords(target)} is under a ${rule}`, objects: [target], hint: null };
  }
  return null;
}
